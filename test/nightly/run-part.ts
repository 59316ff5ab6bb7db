import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { addCounts, readClosingLine } from '../support/closing-line.ts';
import type { Counts } from '../support/reporter.ts';
import type { Part } from './all-parts.ts';

const ONE_FAILED: Counts = { passed: 0, failed: 1, skipped: 0 };
/** Of one program; the largest tables alone take two hours to fill. */
const LIMIT_MS = 5 * 3_600_000;
/** What a program has to stop its servers, after it was asked to end. */
const STOP_MS = 30_000;

/** Runs the program of a part once. @param seed for what is random in it */
export async function runProgram(
  { program, args }: Part,
  seed: number | undefined,
): Promise<Counts> {
  const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
  // The suite takes the seed from its environment, the other programs as an option.
  const isSuite = program === 'run.ts';
  const options = seed === undefined || isSuite ? [] : [`--seed=${seed}`];
  const child = spawn(process.execPath, [...process.execArgv, path, ...args, ...options], {
    stdio: ['inherit', 'pipe', 'inherit'],
    // A group of its own, so that nothing that it started can hold up the end.
    detached: true,
    env: {
      ...process.env,
      PAYMOUNT_TEST_DEPTH: 'nightly',
      ...(seed !== undefined && { PAYMOUNT_TEST_SEED: String(seed) }),
    },
  });
  const lastLine = lastLineOf(child);
  const stop = (): void => {
    sendToGroup(child, 'SIGTERM');
    setTimeout(() => sendToGroup(child, 'SIGKILL'), STOP_MS).unref();
  };
  const limit = setTimeout(stop, LIMIT_MS);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return judgeProgram(code, lastLine());
}

/**
 * The counts of a program that has ended. One that ended in another way than its counts explain, that
 * tested nothing, or that did not close with its counts has failed: a benchmark that cannot be measured
 * ends with 2, for example.
 */
export function judgeProgram(code: number | null, lastLine: string): Counts {
  const counts = readClosingLine(lastLine);
  if (counts === undefined) return ONE_FAILED;
  const isExplained = counts.failed > 0 || (code === 0 && counts.passed > 0);
  return isExplained ? counts : addCounts(counts, ONE_FAILED);
}

/** Prints what a program prints. @returns a function that returns the last line that is not empty */
function lastLineOf(child: ChildProcess): () => string {
  let last = '';
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    const printed = (rest + text).split('\n');
    rest = printed.pop() ?? '';
    last = printed.findLast((line) => line !== '') ?? last;
  });
  return () => rest || last;
}

function sendToGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Every process of the group is gone.
  }
}
