import { expect } from 'chai';
import { readPage, toProse } from '../support/read-pages.ts';
import { namedTests, readTitles } from '../support/test-titles.ts';

describe('the delivery guarantees', () => {
  const prose = toProse(readPage('docs/explanation/delivery-guarantees.md'));
  const rows = [...prose.matchAll(/^\| (\*\*.+) \| (`.+) \|$/gm)];

  it('name for each of them tests that are there and are run', () => {
    expect(rows.length).to.equal(14);
    const bare = rows.filter(([, , shown = '']) => namedTests(shown).length === 0);
    expect(bare.map(([, guarantee]) => guarantee)).to.deep.equal([]);
    const lost = namedTests(prose)
      .filter(({ file, title }) => !readTitles(file).has(title))
      .map(({ file, title }) => `${file}: ${title}`);
    expect(lost).to.deep.equal([]);
  });
});
