import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FOLDERS, PARTS } from '../nightly/all-parts.ts';
import { addCounts, readClosingLine, toClosingLine } from '../support/closing-line.ts';
import { ROOT } from '../support/planted-tree.ts';

describe('the nightly run', () => {
  it('has every folder of tests in one part', () => {
    const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
    const folders = new Set(
      files.filter((file) => /\.test\.ts$/.test(file)).map((file) => file.split('/')[0]),
    );
    expect(Object.values(FOLDERS).flat().sort()).to.deep.equal([...folders].sort());
  });

  it('has a part for every kind of run that is too long for a day', () => {
    expect(PARTS.map(({ name }) => name)).to.deep.equal([
      'api',
      'pages',
      'storage',
      'hosts',
      'faults',
      'deep',
      'clients',
      'scale',
      'bench',
    ]);
  });

  it('reads the closing line of a part, and adds its counts', () => {
    const counts = readClosingLine('7 passed, 1 failed, 2 skipped');
    expect(counts).to.deep.equal({ passed: 7, failed: 1, skipped: 2 });
    expect(readClosingLine('all of 7 passed, 0 failed')).to.equal(undefined);
    const sum = addCounts(
      { passed: 1, failed: 0, skipped: 0 },
      { passed: 2, failed: 3, skipped: 0 },
    );
    expect(toClosingLine(sum)).to.equal('3 passed, 3 failed');
  });
});
