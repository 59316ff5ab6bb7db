import { existsSync, readFileSync } from 'node:fs';
import { ROOT } from './read-pages.ts';

/** A test that a page names. */
interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** @returns the tests of text such as `file.test.ts`: "does this", "does that" */
export function namedTests(text: string): readonly NamedTest[] {
  return [...text.matchAll(/`([^`]+)`:\s((?:"[^"]+"(?:, )?)+)/g)].flatMap(
    ([, file = '', titles = '']) =>
      [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title })),
  );
}

/**
 * The tests in a file that are not skipped, the groups of them, and the laws of its fault runs; with `…`
 * for what is filled in.
 */
export function readTitles(file: string): ReadonlySet<string> {
  if (!existsSync(ROOT + file)) return new Set();
  const source = readFileSync(ROOT + file, 'utf8');
  const titles = [...source.matchAll(/^\s*(?:describe\(|it\(|law:)\s*(['"`])(.+?)\1,/gm)];
  return new Set(titles.map(([, , title = '']) => title.replaceAll(/\$\{[^}]*\}/g, '…')));
}
