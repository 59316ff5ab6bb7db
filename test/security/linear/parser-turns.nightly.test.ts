import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PARSERS } from './parsers.ts';

const PROGRAM = fileURLToPath(new URL('time-parsers.ts', import.meta.url));
const FLAGS = ['--import=tsx', '--conditions=@paymount/source'];
const LIMIT_MS = 300_000;
/** No turn of the event loop may take longer, because all other requests wait for its end. */
const TURN_MS = 50;

interface Timed {
  readonly parser: string;
  readonly input: string;
  readonly ms: number;
}

describe('the CPU time of reading the largest input that a server takes', function () {
  this.timeout(LIMIT_MS);

  it('is below 50 ms, for every parser and every way to grow', async () => {
    const { NODE_V8_COVERAGE: _, ...env } = process.env;
    const started = { env, timeout: LIMIT_MS, maxBuffer: 2 ** 24 };
    const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, PROGRAM], started);
    const timed = stdout
      .trim()
      .split('\n')
      .map((line): Timed => JSON.parse(line));
    expect(new Set(timed.map(({ parser }) => parser))).to.deep.equal(new Set(Object.keys(PARSERS)));
    const slow = timed.filter(({ ms }) => ms >= TURN_MS);
    expect(slow.map(({ parser, input, ms }) => `${parser}, ${input}: ${ms} ms`)).to.deep.equal([]);
  });
});
