import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/planted-tree.ts';

/** What must start from source: the runner, generated clients, what reads the source. */
const FROM_SOURCE = [
  'architecture/runner.nightly.test.ts',
  'bench/child.ts',
  'bench/memory.ts',
  'openapi/typescript-clients.nightly.test.ts',
  'security/linear/linear-expressions.nightly.test.ts',
  'security/linear/linear-work.nightly.test.ts',
  'security/linear/parser-turns.nightly.test.ts',
];
const STARTS_FROM_SOURCE = /--import=tsx|resolve\('tsx'\)/;

describe('the processes that tests start', () => {
  it('run what was compiled, but for these', () => {
    const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
    const found = files.filter(
      (file) =>
        file.endsWith('.ts') &&
        file !== 'architecture/child-programs.test.ts' &&
        STARTS_FROM_SOURCE.test(readFileSync(join(ROOT, 'test', file), 'utf8')),
    );
    expect(found.sort()).to.deep.equal(FROM_SOURCE);
  });
});
