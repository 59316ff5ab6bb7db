import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AUDIT_ACTIONS, EVENT_PATTERNS, EVENT_TYPES } from '@paymount/core/changes';
import { NOTICE_KINDS } from '@paymount/core/payments';
import { expect } from 'chai';
import { CREATE_OPTIONS, listOptions } from '../docs/options-page.ts';
import {
  listAnchors,
  type Page,
  ROOT,
  readPage,
  readPages,
  toProse,
} from '../support/read-pages.ts';

const pages = readPages();

/** What a page may not say, and why. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  'work left over belongs in no page': /\b(TODO|FIXME|TBD)\b/,
  'one word per idea: an account': /\b(tenant|merchant account)s?\b/i,
  'one word per idea: the test environment': /\b(sandbox|test) (mode key|environment key)\b/i,
  'a reader for whom it is not simple gains nothing': /\b(simply|obviously|of course)\b/i,
  'paths of a machine help nobody else': /(^|[\s`"'(])\/(work|root|home)\//m,
};

const DECISION_FORM =
  /^# .+\?\n\n## Context\n[\s\S]+^## Decision\n[\s\S]+^## Alternatives\n[\s\S]+^## Consequences\n/m;

describe('the docs', () => {
  it('link to pages and headings that are there', () => {
    expect(pages.flatMap(brokenLinks)).to.deep.equal([]);
  });

  it('can all be reached from docs/README.md', () => {
    const reached = new Set<string>();
    const visit = (file: string): void => {
      if (reached.has(file) || !file.endsWith('.md') || !existsSync(ROOT + file)) return;
      reached.add(file);
      for (const { path } of listLinks(readPage(file))) visit(path);
    };
    visit('docs/README.md');
    const lost = pages.map(({ file }) => file).filter((file) => file.startsWith('docs/'));
    expect(lost.filter((file) => !reached.has(file))).to.deep.equal([]);
  });

  it('have a page for every subpath of paymount', () => {
    const manifest = JSON.parse(readFileSync(`${ROOT}packages/paymount/package.json`, 'utf8')) as {
      exports: Record<string, unknown>;
    };
    const index = readPage('docs/README.md');
    const undocumented = Object.keys(manifest.exports).filter((subpath) => {
      const name = join('paymount', subpath);
      const row = new RegExp(`^\\| \`${name}\` \\|.*\\[[^\\]]+\\]\\(([^)#]+)`, 'm').exec(
        index.text,
      );
      return !row?.[1] || !readPage(join('docs', row[1])).text.includes(`'${name}'`);
    });
    expect(undocumented).to.deep.equal([]);
  });

  it('name the event types of the catalogue, and no others', () => {
    // What a processor reports, and what an audit row is about, have names of the same form.
    const known: readonly string[] = [
      ...EVENT_TYPES,
      ...EVENT_PATTERNS,
      ...NOTICE_KINDS,
      ...AUDIT_ACTIONS,
    ];
    const named = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/['"`](?:charge|subscription|dispute|payout)\.[a-z_*]+['"`]/g)].map(
        ([name]) => ({ file, name: name.slice(1, -1) }),
      ),
    );
    expect(named.filter(({ name }) => !known.includes(name))).to.deep.equal([]);
    const catalogue = toProse(readPage('docs/reference/events.md'));
    const listed = [...catalogue.matchAll(/^\| `([a-z]+\.[a-z_]+)` \|/gm)];
    expect(listed.map(([, type]) => type)).to.deep.equal([...EVENT_TYPES]);
  });

  it('list the options that createPaymount takes, and no others', () => {
    const table = toProse(readPage('docs/reference/options.md'));
    const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    const ofInvoices = [
      'InvoiceSettings',
      'InvoiceSeller',
      'InvoiceLooksOptions',
      'CustomerEmails',
      'PdfFonts',
    ];
    const nested = [
      'EgressSettings',
      'RetentionSettings',
      'MailSettings',
      ...ofInvoices,
      'LeakSettings',
    ];
    const names = [...CREATE_OPTIONS, ...nested];
    const options = names.flatMap((name) => listOptions(name));
    expect(listed).to.deep.equal(options.map(({ name }) => name));
    expect(options.filter(({ description }) => description === '')).to.deep.equal([]);
  });

  it('say nothing that they should not', () => {
    const said = pages.flatMap((page) =>
      Object.entries(FORBIDDEN).flatMap(([why, pattern]) => {
        const found = pattern.exec(toProse(page));
        return found ? [`${page.file}: "${found[0].trim()}": ${why}`] : [];
      }),
    );
    expect(said).to.deep.equal([]);
  });

  it('give curl -g where an address has brackets, which it takes for a range otherwise', () => {
    const lines = pages
      .flatMap(({ blocks }) => blocks)
      .filter(({ language }) => language === 'sh')
      .flatMap(({ code }) => code.replaceAll('\\\n', '').split('\n'));
    const bracketed = lines.filter((line) => /\bcurl\b.*\?[^\s"']*\[/.test(line));
    expect(bracketed.length).to.be.greaterThan(0);
    expect(bracketed.filter((line) => !/ -\w*g\b/.test(line))).to.deep.equal([]);
  });

  it('keep a decision to under a page, with its alternatives', () => {
    const decisions = pages.filter(({ file }) => /decisions\/(?!README)/.test(file));
    const long = decisions.filter(({ text }) => text.split('\n').length > 55);
    expect(long.map(({ file }) => file)).to.deep.equal([]);
    const unformed = decisions.filter(({ text }) => !DECISION_FORM.test(text));
    expect(unformed.map(({ file }) => file)).to.deep.equal([]);
  });
});

interface Link {
  readonly path: string;
  readonly anchor: string;
  readonly written: string;
}

function listLinks(page: Page): readonly Link[] {
  return [...toProse(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, written = '']) => written)
    .filter((written) => !/^[a-z]+:/.test(written))
    .map((written) => {
      const [path = '', anchor = ''] = written.split('#');
      return { path: path === '' ? page.file : join(dirname(page.file), path), anchor, written };
    });
}

function brokenLinks(page: Page): string[] {
  return listLinks(page)
    .filter(({ path, anchor }) => {
      if (!existsSync(ROOT + path)) return true;
      if (anchor === '') return false;
      return !statSync(ROOT + path).isFile() || !listAnchors(readPage(path)).includes(anchor);
    })
    .map(({ written }) => `${page.file}: ${written}`);
}
