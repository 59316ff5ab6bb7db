import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Work } from './work-counter.ts';

const PROGRAM = fileURLToPath(new URL('count-parsers.ts', import.meta.url));
/** So that nothing is compiled anew or collected while it is counted. */
const FLAGS = [
  '--import=tsx',
  '--conditions=@paymount/source',
  '--expose-gc',
  '--no-opt',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];
const LIMIT_MS = 180_000;

/** Work that is linear doubles; of what is counted, so much has nothing to do with the input. */
const MOST_GROWTH = 2.5;
const UNRELATED: Work = { blocks: 2_000, visited: 2_000, bytes: 600_000 };
const MEASURES = ['blocks', 'visited', 'bytes'] as const;

interface Counted {
  readonly parser: string;
  readonly input: string;
  readonly once: Work;
  readonly twice: Work;
}

/**
 * Work is counted, as time depends on what else the machine does: how often V8 runs each block, what
 * searches and copies of the language go over, and what is allocated. Copying a growing list shows
 * in the last two, a loop in a loop in the first. Regular expressions have a counter of their own.
 */
describe('the work of reading an input of twice the size', function () {
  this.timeout(LIMIT_MS);
  let counted: readonly Counted[];

  before(async () => {
    const { NODE_V8_COVERAGE: _, ...env } = process.env;
    const started = { env, timeout: LIMIT_MS, maxBuffer: 2 ** 24 };
    const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, PROGRAM], started);
    counted = stdout
      .trim()
      .split('\n')
      .map((line): Counted => JSON.parse(line));
  });

  it('is at most about twice the work, for every parser and every way to grow', () => {
    expect(new Set(counted.map(({ parser }) => parser)).size).to.be.above(20);
    const steep = counted.flatMap(({ parser, input, once, twice }) =>
      MEASURES.filter(
        (measure) => twice[measure] > MOST_GROWTH * once[measure] + UNRELATED[measure],
      ).map(
        (measure) => `${parser}, ${input}: ${once[measure]} ${measure}, then ${twice[measure]}`,
      ),
    );
    expect(steep).to.deep.equal([]);
  });

  it('is seen: each measure counts something of what grows', () => {
    const form = counted.find(({ parser, input }) => parser === 'a form' && input === '"a=1&"');
    for (const measure of MEASURES) {
      const { once, twice } = form ?? expect.fail('The form with one name was not counted.');
      expect(twice[measure], measure).to.be.above(1.5 * once[measure]);
    }
  });
});
