import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const PROGRAM = fileURLToPath(new URL('count-expressions.ts', import.meta.url));
const FLAGS = ['--import=tsx', '--conditions=@paymount/source'];
const LIMIT_MS = 120_000;

/** Made at run time: a copy of an expression that stands in the source. */
const MADE = ['core/src/access/credentials/find-credentials.ts: new RegExp(CANDIDATE)'];

interface Counted {
  readonly literals: number;
  /** Where expressions are made at run time. */
  readonly made: readonly string[];
  /** Expressions whose work more than doubles, on which text, and how often they went back. */
  readonly steep: readonly string[];
  /** Steep ones that were not found out. */
  readonly unseen: readonly string[];
}

/**
 * Every regular expression of the source on texts made to defeat it, which double in length: the
 * matcher's own count of steps back must double at most. A text of many short pieces cannot hang a
 * process then, whatever it is.
 */
describe('the work of a regular expression on a text of twice the length', function () {
  this.timeout(LIMIT_MS);
  let counted: Counted;

  before(async () => {
    const { NODE_V8_COVERAGE: _, ...env } = process.env;
    const started = { env, timeout: LIMIT_MS };
    const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, PROGRAM], started);
    counted = JSON.parse(stdout);
  });

  it('is at most about twice the work, for every expression in the source', () => {
    expect(counted.literals).to.be.above(100);
    expect(counted.steep).to.deep.equal([]);
  });

  it('is measured for all of them: only copies of these are created at run time', () => {
    expect(counted.made).to.deep.equal(MADE);
  });

  it('is seen when it is four times, eight times, or without end', () => {
    expect(counted.unseen).to.deep.equal([]);
  });
});
