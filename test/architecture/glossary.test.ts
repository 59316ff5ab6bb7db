import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { ROOT, readPage } from '../support/read-pages.ts';

const CORE = `${ROOT}packages/core/src`;

/** Folders of the core that hold techniques, and no ideas of the domain. */
const TECHNICAL = ['kernel', 'store', 'stripe-form', 'payments/wiring'];

/** Folders whose name is another form of the word. */
const FORMS: Readonly<Record<string, string>> = { audit: 'audit log', expunging: 'expunge' };

const DOCUMENTS = ['api', 'dashboard', 'management'];

/** Second words for an idea, and the word that it has. */
const SECOND_WORDS: ReadonlyMap<string, string> = new Map([
  ['desk', 'setup'],
  ['shelf', 'setup'],
  ['sighting', 'exposure'],
  ['reconciler', 'sweeper'],
]);

describe('the glossary', () => {
  const entries = readEntries();

  it('has the word of every slice and area of the core', () => {
    const words = listAreas().map(toWord);
    expect(words.length).to.be.greaterThan(30);
    expect(words.filter((word) => !entries.includes(word.toLowerCase()))).to.deep.equal([]);
  });

  it('has the word of every object of the APIs', () => {
    const words = DOCUMENTS.flatMap(listObjects).map(toWord);
    expect(words.length).to.be.greaterThan(30);
    expect(words.filter((word) => !entries.includes(word.toLowerCase()))).to.deep.equal([]);
  });

  it('is in alphabetical order, and has each word once', () => {
    expect(new Set(entries).size).to.equal(entries.length);
    const first = readRows().map((row) => row.toLowerCase());
    expect(first).to.deep.equal(first.toSorted());
  });

  it('has no second word for an idea, and neither do names in the code', () => {
    const found = listSources().flatMap((file) =>
      secondWordsIn(file).map((word) => `${file}: ${word}; say ${SECOND_WORDS.get(word)}`),
    );
    expect(found).to.deep.equal([]);
    expect(entries.filter((word) => SECOND_WORDS.has(word))).to.deep.equal([]);
  });
});

/** The first column: a word, or several for one idea. */
function readRows(): readonly string[] {
  const { text } = readPage('docs/reference/glossary.md');
  const rows = [...text.matchAll(/^\| (.+?) \|/gm)].map(([, words = '']) => words);
  return rows.slice(1);
}

function readEntries(): readonly string[] {
  return readRows().flatMap((words) => words.toLowerCase().split(', '));
}

/** `charges` and the like, of the folders below the core, two levels deep. */
function listAreas(): readonly string[] {
  const isTechnical = (path: string): boolean =>
    TECHNICAL.some((folder) => path === folder || path.startsWith(`${folder}/`));
  return readdirSync(CORE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(CORE.length + 1))
    .filter((path) => !isTechnical(path))
    .map((path) => basename(path));
}

interface ObjectSchema {
  readonly properties?: { readonly object?: { readonly const?: string } };
}

/** `bank_account` and the like: what `object` of a response says. */
function listObjects(name: string): readonly string[] {
  const text = readFileSync(`${ROOT}packages/paymount/openapi/${name}.json`, 'utf8');
  const { components } = JSON.parse(text) as {
    components: { schemas: Record<string, ObjectSchema> };
  };
  return Object.values(components.schemas).flatMap(
    ({ properties }) => properties?.object?.const?.split('.').at(-1) ?? [],
  );
}

/** `bank-accounts` and `bank_account` are both `bank account`. */
function toWord(name: string): string {
  const spaced = name.replaceAll(/[_-]/g, ' ');
  return FORMS[name] ?? (readEntries().includes(spaced) ? spaced : toSingular(spaced));
}

function toSingular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.endsWith('sses')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function listSources(): readonly string[] {
  return ['packages', 'test'].flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)(node_modules|dist)\//.test(name))
      .map((name) => `${folder}/${name}`),
  );
}

function secondWordsIn(file: string): readonly string[] {
  const text = readFileSync(ROOT + file, 'utf8');
  const names = [basename(file, extname(file)), ...identifiersOf(file, text)];
  const words = new Set(names.flatMap(splitName).map(toSingular));
  return [...SECOND_WORDS.keys()].filter((word) => words.has(word));
}

/** Only a file that contains a second word somewhere is parsed. */
function identifiersOf(file: string, text: string): readonly string[] {
  const lower = text.toLowerCase();
  if (![...SECOND_WORDS.keys()].some((word) => lower.includes(word))) return [];
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return names;
}

/** `startDisputeDesk` is `start`, `dispute` and `desk`. */
function splitName(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}
