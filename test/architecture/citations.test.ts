import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/read-pages.ts';

const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
const sources = tracked.filter((file) => /^(packages|example-host|test)\/.*\.ts$/.test(file));

describe('the code', () => {
  it('cites no page that a reader cannot open', () => {
    const pages = new Set(
      tracked.filter((file) => file.endsWith('.md')).map((file) => basename(file)),
    );
    const lost = sources.flatMap((file) =>
      [...readFileSync(ROOT + file, 'utf8').matchAll(/[\w-]+\.md\b/g)]
        .filter(([page]) => !pages.has(page))
        .map(([page]) => `${file}: ${page}`),
    );
    expect(lost).to.deep.equal([]);
  });
});
