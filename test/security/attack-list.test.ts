import { expect } from 'chai';
import { readPage, toProse } from '../support/read-pages.ts';
import { namedTests, readTitles } from '../support/test-titles.ts';

/** Attacks on what is not built. */
const NOT_YET: readonly string[] = [];
const NUMBERS = [...numbers('A', 1, 15), ...numbers('A', 40, 47), ...numbers('O', 1, 18)];

/** One row of the page: what an attack gets, and the tests that show it. */
interface Attack {
  readonly number: string;
  readonly expected: string;
  readonly shown: readonly { readonly file: string; readonly title: string }[];
}

describe('the list of attacks', () => {
  const attacks = parseAttacks(toProse(readPage('docs/explanation/threat-model.md')));

  it('has each of them, once and in order', () => {
    expect(attacks.map(({ number }) => number)).to.deep.equal(NUMBERS);
  });

  it('names tests that are there and are run', () => {
    const lost = attacks.flatMap(({ number, shown }) =>
      shown
        .filter(({ file, title }) => !readTitles(file).has(title))
        .map(({ file, title }) => `${number}: ${file}: ${title}`),
    );
    expect(lost).to.deep.equal([]);
  });

  it('says plainly which have no test, as there is nothing to attack', () => {
    const bare = attacks.filter(({ shown }) => shown.length === 0);
    expect(bare.map(({ number }) => number)).to.deep.equal(NOT_YET);
    for (const { expected } of bare) expect(expected).to.match(/^There is none yet: /);
  });
});

function numbers(letter: 'A' | 'O', first: number, last: number): readonly string[] {
  return Array.from(
    { length: last - first + 1 },
    (_, index) => `${letter}${String(first + index).padStart(2, '0')}`,
  );
}

function parseAttacks(text: string): readonly Attack[] {
  return [...text.matchAll(/^\| ([AO]\d+) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, number = '', expected = '', shown = '']) => ({
      number,
      expected,
      shown: namedTests(shown),
    }),
  );
}
