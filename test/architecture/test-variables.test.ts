import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/planted-tree.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('The environment variables of a test run', () => {
  it('are all described in CONTRIBUTING.md', () => {
    const source = read('test/run.ts') + read('test/support/depth.ts');
    const variables = source.matchAll(/process\.env\['(PAYMOUNT_TEST_\w+)'\]/g);
    const names = [...variables].map(([, name]) => name);
    expect(names).to.have.members([
      'PAYMOUNT_TEST_DAY',
      'PAYMOUNT_TEST_DEPTH',
      'PAYMOUNT_TEST_LIMIT_MS',
      'PAYMOUNT_TEST_OUTPUT',
      'PAYMOUNT_TEST_SEED',
      'PAYMOUNT_TEST_TIMES',
    ]);

    const page = read('CONTRIBUTING.md');
    expect(names.filter((name) => !page.includes(`| \`${name}=`))).to.deep.equal([]);
  });
});
