import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { timesTable } from './support/file-times.ts';
import { needsServices } from './support/needs-services.ts';
import type { Counts } from './support/reporter.ts';
import { secretsIn } from './support/secrets.ts';
import type { Services } from './support/services.ts';

/**
 * `npm test [-- FILE|FOLDER...]`: starts the services, runs mocha, tears down, and closes with one line,
 * `N passed, N failed[, N skipped]`. Everything printed, the servers' logs included, is also
 * written to the file of PAYMOUNT_TEST_OUTPUT and searched for secrets. PAYMOUNT_TEST_TIMES names a
 * file for a table of what each test file took.
 */
const RUN_LIMIT_MS = Number(process.env['PAYMOUNT_TEST_LIMIT_MS'] ?? 60 * 60_000);
/** After the last test, mocha has this long to end before it counts as hanging. */
const EXIT_LIMIT_MS = 30_000;

const paths = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'paymount-test-'));
const outputFile = process.env['PAYMOUNT_TEST_OUTPUT'] ?? join(folder, 'output.log');
const output = createWriteStream(outputFile);
const countsFile = join(folder, 'counts.json');
const fileTimesFile = join(folder, 'file-times.jsonl');
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort(signal));
}

let services: Services | undefined;
let counts: Counts;
try {
  const files = paths.map(toPattern);
  if (needsServices(files)) {
    // Loaded only here: a run of pure code starts sooner without the packages.
    const { startServices } = await import('./support/services.ts');
    services = await startServices((text) => output.write(text));
  }
  counts = await runMocha(files, services?.environment ?? {});
} catch (error) {
  say(`${error instanceof Error ? error.stack : String(error)}\n`);
  counts = { passed: 0, failed: 1, skipped: 0 };
}
try {
  await services?.stop();
} catch (error) {
  say(`The services did not stop: ${String(error)}\n`);
  counts = { ...counts, failed: counts.failed + 1 };
}
output.end();
await once(output, 'close');
for (const secret of secretsIn(readFileSync(outputFile, 'utf8'))) {
  process.stdout.write(`A secret was printed by a test or a server: ${secret}\n`);
  counts = { ...counts, failed: counts.failed + 1 };
}
const timesFile = process.env['PAYMOUNT_TEST_TIMES'];
if (timesFile) writeFileSync(timesFile, timesTable(fileTimesFile));
await rm(folder, { recursive: true, force: true });
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
process.exitCode = counts.failed > 0 ? 1 : 0;
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${skipped}\n`);

/** Mocha reads a folder without those inside it, and passes over what is not there. */
function toPattern(path: string): string {
  if (!existsSync(path)) throw new Error(`There is no ${path} to test.`);
  return statSync(path).isDirectory() ? join(path, '**/*.test.{ts,mjs}') : path;
}

async function runMocha(
  files: readonly string[],
  environment: Services['environment'],
): Promise<Counts> {
  const mocha = join(dirname(createRequire(import.meta.url).resolve('mocha')), 'bin', 'mocha.js');
  const args = [
    '--reporter',
    'test/support/reporter.ts',
    ...(process.stdout.isTTY ? ['--color'] : []),
  ];
  const child = spawn(
    process.execPath,
    [mocha, ...args, ...(files.length > 0 ? files : ['test/**/*.test.ts'])],
    {
      // A group of its own, so that a hanging run is ended with its workers.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...environment,
        PAYMOUNT_TEST_FOLDER: folder,
        PAYMOUNT_TEST_COUNTS: countsFile,
        PAYMOUNT_TEST_FILE_TIMES: fileTimesFile,
        // A run that a test starts would write its own table over this one's.
        PAYMOUNT_TEST_TIMES: undefined,
      },
    },
  );
  child.stdout.on('data', say);
  child.stderr.on('data', say);
  const problem = await untilEnd(child);
  return verdict(problem);
}

/** @returns what went wrong besides failing tests, if anything did */
async function untilEnd(child: ChildProcess): Promise<string | undefined> {
  let problem: string | undefined;
  const end = (reason: string): void => {
    problem ??= reason;
    killGroup(child);
  };
  const limit = setTimeout(() => end(`still ran after ${RUN_LIMIT_MS / 1_000} s`), RUN_LIMIT_MS);
  let countedAtMs: number | undefined;
  const watch = setInterval(() => {
    if (countedAtMs === undefined && readCounts()) countedAtMs = performance.now();
    if (countedAtMs !== undefined && performance.now() - countedAtMs > EXIT_LIMIT_MS) {
      end(
        `did not end within ${EXIT_LIMIT_MS / 1000} s after its last test: something is left open`,
      );
    }
  }, 1_000);
  stopping.signal.addEventListener('abort', () => end(`interrupted by ${stopping.signal.reason}`));
  if (stopping.signal.aborted) end(`interrupted by ${stopping.signal.reason}`);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(limit);
  clearInterval(watch);
  // A worker that mocha's end left behind.
  killGroup(child);
  if (problem === undefined && signal) problem = `ended by ${signal}`;
  if (problem === undefined && code !== 0 && !readCounts()?.failed)
    problem = `ended with exit code ${code}`;
  return problem;
}

/** A crash, a time-out and a run of no tests count as one failure more. */
function verdict(problem: string | undefined): Counts {
  const found = readCounts() ?? { passed: 0, failed: 0, skipped: 0 };
  if (problem !== undefined) say(`The test run ${problem}.\n`);
  else if (found.passed + found.failed === 0) say('No test ran.\n');
  else return found;
  return { ...found, failed: found.failed + 1 };
}

function readCounts(): Counts | undefined {
  try {
    return JSON.parse(readFileSync(countsFile, 'utf8')) as Counts;
  } catch {
    return undefined;
  }
}

function say(text: string | Buffer): void {
  process.stdout.write(text);
  output.write(text);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Every process of the group is gone.
  }
}
