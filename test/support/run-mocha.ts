import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Counts } from './reporter.ts';
import { runningTests } from './running-tests.ts';

/** After the last test, mocha has this long to end before it counts as hanging. */
const EXIT_LIMIT_MS = 30_000;

/** What a run of mocha needs. */
export interface MochaRun {
  readonly files: readonly string[];
  /** Variables for its workers, the services among them. */
  readonly environment: NodeJS.ProcessEnv;
  /** Where its workers keep notes for this process. */
  readonly folder: string;
  readonly limitMs: number;
  /** Ends the run early; its reason is the signal that this process got. */
  readonly stopping: AbortSignal;
  /** Receives all that is printed. */
  readonly say: (text: string | Buffer) => void;
}

/** Runs test files. A crash, a time-out and a run of no tests count as one failure more. */
export async function runMocha(run: MochaRun): Promise<Counts> {
  const mocha = join(dirname(createRequire(import.meta.url).resolve('mocha')), 'bin', 'mocha.js');
  const countsFile = join(run.folder, 'counts.json');
  const args = ['--reporter', 'test/support/reporter.ts'];
  if (process.stdout.isTTY) args.push('--color');
  const child = spawn(process.execPath, [mocha, ...args, ...run.files], {
    // A group of its own, so that a hanging run is ended with its workers.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...run.environment,
      PAYMOUNT_TEST_FOLDER: run.folder,
      PAYMOUNT_TEST_COUNTS: countsFile,
    },
  });
  child.stdout.on('data', run.say);
  child.stderr.on('data', run.say);
  const problem = await untilEnd(child, run, () => readCounts(countsFile));
  const found = readCounts(countsFile) ?? { passed: 0, failed: 0, skipped: 0 };
  if (problem !== undefined) run.say(`The test run ${problem}.\n`);
  else if (found.passed + found.failed === 0) run.say('No test ran.\n');
  else return found;
  for (const test of runningTests(run.folder)) run.say(`It was running: ${test}\n`);
  return { ...found, failed: found.failed + 1 };
}

/** @returns what went wrong besides failing tests, if anything did */
async function untilEnd(
  child: ChildProcess,
  { limitMs, stopping }: MochaRun,
  counted: () => Counts | undefined,
): Promise<string | undefined> {
  let problem: string | undefined;
  const end = (reason: string): void => {
    problem ??= reason;
    killGroup(child);
  };
  const limit = setTimeout(() => end(`still ran after ${limitMs / 1_000} s`), limitMs);
  let countedAtMs: number | undefined;
  const watch = setInterval(() => {
    if (countedAtMs === undefined && counted()) countedAtMs = performance.now();
    if (countedAtMs !== undefined && performance.now() - countedAtMs > EXIT_LIMIT_MS) {
      end(
        `did not end within ${EXIT_LIMIT_MS / 1000} s after its last test: something is left open`,
      );
    }
  }, 1_000);
  stopping.addEventListener('abort', () => end(`interrupted by ${stopping.reason}`));
  if (stopping.aborted) end(`interrupted by ${stopping.reason}`);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(limit);
  clearInterval(watch);
  // A worker that mocha's end left behind.
  killGroup(child);
  if (problem === undefined && signal) problem = `ended by ${signal}`;
  if (problem === undefined && code !== 0 && !counted()?.failed)
    problem = `ended with exit code ${code}`;
  return problem;
}

function readCounts(file: string): Counts | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Counts;
  } catch {
    return undefined;
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Every process of the group is gone.
  }
}
