import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/planted-tree.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('The environment variables of a test run', () => {
  it('are all described in CONTRIBUTING.md', () => {
    const names = [...read('test/run.ts').matchAll(/process\.env\['(PAYMOUNT_TEST_\w+)'\]/g)].map(
      ([, name]) => name,
    );
    expect(names).to.have.members([
      'PAYMOUNT_TEST_LIMIT_MS',
      'PAYMOUNT_TEST_OUTPUT',
      'PAYMOUNT_TEST_TIMES',
    ]);

    const page = read('CONTRIBUTING.md');
    expect(names.filter((name) => !page.includes(`| \`${name}=`))).to.deep.equal([]);
  });
});
