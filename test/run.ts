import { once } from 'node:events';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toClosingLine } from './support/closing-line.ts';
import { type CpuTable, compareCpu, toTable } from './support/cpu-budget.ts';
import { cpuOfChildren } from './support/cpu-time.ts';
import { isNightly, SAMPLE_DAYS, sampleDay } from './support/depth.ts';
import { readTimes, timesTable } from './support/file-times.ts';
import { measureUnit } from './support/measure-unit.ts';
import { needsServices } from './support/needs-services.ts';
import type { Counts } from './support/reporter.ts';
import { runMocha } from './support/run-mocha.ts';
import { secretsIn } from './support/secrets.ts';
import type { Services } from './support/services.ts';
import { testFiles } from './support/test-files.ts';

/**
 * `npm test [-- FILE|FOLDER...]`: starts the services, runs mocha, tears down, and closes with one line,
 * `N passed, N failed[, N skipped]`. Everything printed, the servers' logs included, is also
 * written to the file of PAYMOUNT_TEST_OUTPUT and searched for secrets. PAYMOUNT_TEST_TIMES names a
 * file for a table of what each test file took. A run of the whole daily suite is held to the CPU
 * seconds of `cpu-seconds.json`; `--record` writes that table again if all tests passed.
 */
const RUN_LIMIT_MS = Number(process.env['PAYMOUNT_TEST_LIMIT_MS'] ?? 60 * 60_000);
const CPU_TABLE = new URL('cpu-seconds.json', import.meta.url);

const MAX_SEED = 2 ** 31;

const seed = Number(process.env['PAYMOUNT_TEST_SEED'] ?? Math.floor(Math.random() * MAX_SEED));
const given = process.argv.slice(2);
const isRecording = given.includes('--record');
const paths = given.filter((argument) => argument !== '--record');
const table = JSON.parse(readFileSync(CPU_TABLE, 'utf8')) as CpuTable;
const folder = await mkdtemp(join(tmpdir(), 'paymount-test-'));
const outputFile = process.env['PAYMOUNT_TEST_OUTPUT'] ?? join(folder, 'output.log');
const output = createWriteStream(outputFile);
const fileTimesFile = join(folder, 'file-times.jsonl');
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopping.abort(signal));
}

/** The whole of what runs daily, which has a limit. */
const isWholeDay = paths.length === 0 && !isNightly;
if (isRecording && !isWholeDay) {
  process.stdout.write(
    '`--record` takes no files, and not the nightly depth: it records a whole day.\n',
  );
  process.exit(2);
}
const unit = isWholeDay ? await measureUnit() : 0;
let services: Services | undefined;
let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
let mochaSeconds = 0;
const fail = (reason: string): void => {
  say(`${reason}\n`);
  counts = { ...counts, failed: counts.failed + 1 };
};
try {
  const files = testFiles(paths, table.longest);
  if (!isNightly) say(`Matrices are sampled: day ${sampleDay} of 0 to ${SAMPLE_DAYS - 1}.\n`);
  say(`Random inputs follow from the seed ${seed}.\n`);
  if (needsServices(files)) {
    // Loaded only here: a run of pure code starts sooner without the packages.
    const { startServices } = await import('./support/services.ts');
    services = await startServices((text) => output.write(text));
  }
  counts = await runMocha({
    files,
    folder,
    limitMs: RUN_LIMIT_MS,
    stopping: stopping.signal,
    say,
    environment: {
      ...process.env,
      ...services?.environment,
      // The workers of a run that goes on after midnight take the same sample.
      PAYMOUNT_TEST_DAY: String(sampleDay),
      PAYMOUNT_TEST_SEED: String(seed),
      PAYMOUNT_TEST_FILE_TIMES: fileTimesFile,
      // A run that a test starts would write its own table over this one's.
      PAYMOUNT_TEST_TIMES: undefined,
    },
  });
  mochaSeconds = cpuOfChildren();
} catch (error) {
  fail(error instanceof Error ? String(error.stack) : String(error));
}
try {
  await services?.stop();
} catch (error) {
  fail(`The services did not stop: ${String(error)}`);
}
const times = readTimes(fileTimesFile);
if (isWholeDay) {
  const ownServers =
    process.env['DATABASE_URL'] === undefined && process.env['REDIS_URL'] === undefined;
  const servers = ownServers ? cpuOfChildren() - mochaSeconds : undefined;
  const measured = toTable(times, servers, unit);
  if (mochaSeconds === 0) say('CPU seconds are not compared: this system does not tell them.\n');
  else if (isRecording) record(measured);
  // Coverage costs time of its own.
  else if (process.env['NODE_V8_COVERAGE'] === undefined) {
    const { isWithin, text } = compareCpu(measured, table);
    if (isWithin) {
      say(`${text}\n`);
      counts = { ...counts, passed: counts.passed + 1 };
    } else fail(text);
  }
}
output.end();
await once(output, 'close');
for (const secret of secretsIn(readFileSync(outputFile, 'utf8'))) {
  process.stdout.write(`A secret was printed by a test or a server: ${secret}\n`);
  counts = { ...counts, failed: counts.failed + 1 };
}
const timesFile = process.env['PAYMOUNT_TEST_TIMES'];
if (timesFile) writeFileSync(timesFile, timesTable(times));
await rm(folder, { recursive: true, force: true });
process.exitCode = counts.failed > 0 ? 1 : 0;
process.stdout.write(`${toClosingLine(counts)}\n`);

/** A run that failed, or that did not start its own servers, says nothing about a whole one. */
function record(measured: CpuTable): void {
  const isWhole = counts.failed === 0 && measured.folders['servers'] !== undefined;
  if (isWhole) writeFileSync(CPU_TABLE, `${JSON.stringify(measured, undefined, 2)}\n`);
  else fail('The CPU seconds were not recorded: it takes a run that passes, with its own servers.');
}

function say(text: string | Buffer): void {
  process.stdout.write(text);
  output.write(text);
}
