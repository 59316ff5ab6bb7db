import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FOLDERS, PARTS } from '../nightly/all-parts.ts';
import { judgeProgram } from '../nightly/run-part.ts';
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

  it('counts a program as failed that its own counts do not explain', () => {
    const judged = (code: number | null, line: string): string =>
      toClosingLine(judgeProgram(code, line));
    expect(judged(0, '7 passed, 0 failed, 2 skipped')).to.equal('7 passed, 0 failed, 2 skipped');
    expect(judged(1, '7 passed, 3 failed')).to.equal('7 passed, 3 failed');
    expect(judged(1, '7 passed, 0 failed, 2 skipped')).to.equal('7 passed, 1 failed, 2 skipped');
    expect(judged(2, '7 passed, 0 failed, 2 skipped')).to.equal('7 passed, 1 failed, 2 skipped');
    expect(judged(null, '7 passed, 0 failed')).to.equal('7 passed, 1 failed');
    expect(judged(0, '0 passed, 0 failed, 9 skipped')).to.equal('0 passed, 1 failed, 9 skipped');
    expect(judged(0, 'Error: it fell after its counts')).to.equal('0 passed, 1 failed');
  });
});
