import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/planted-tree.ts';

const TESTS = join(ROOT, 'test');
/** A function of this kind, or a loop that looks at the time. */
const OWN_WAITING =
  /function (?:until|eventually|poll)\b|performance\.now\(\) [<>]=? \w*deadline|while \(.*\) await new Promise\(/i;

describe('tests', () => {
  it('wait for a condition with eventually() alone', () => {
    const waiting = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
      (file) =>
        file.endsWith('.test.ts') && OWN_WAITING.test(readFileSync(join(TESTS, file), 'utf8')),
    );
    expect(waiting).to.deep.equal([]);
  });
});
