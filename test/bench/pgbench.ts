import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { percentile } from '../support/statistics.ts';
import type { BenchDatabase } from './database.ts';
import { NotMeasured } from './figure.ts';
import { baseOfRun, type PgbenchScript } from './pgbench-script.ts';
import { type Side, WARM_UP_SECONDS } from './rounds.ts';

const THREADS = 2;
/** Of every so many transactions one is logged, for the percentiles. */
const SAMPLING_RATE = 0.1;
const DEBIAN_ROOT = '/usr/lib/postgresql';

/**
 * The floor of everything that writes to PostgreSQL: the script on as many connections as the
 * subject has, each operation's statements one after the other.
 * @param check says why a window proves nothing, from what it wrote
 * @throws NotMeasured where there is no pgbench
 */
export function pgbenchSide(
  database: BenchDatabase,
  script: PgbenchScript,
  options: {
    readonly connections: number;
    readonly check: (operations: number) => Promise<readonly string[]>;
  },
): Side {
  const program = findPgbench();
  let runs = 0;
  const run = (seconds: number): Promise<PgbenchRun> => {
    runs += 1;
    return runPgbench({ program, url: database.url, script, run: runs, seconds, ...options });
  };
  return {
    name: `pgbench with the same SQL, ${options.connections} connections`,
    async measure(seconds) {
      await database.reset();
      const warmUp = await run(WARM_UP_SECONDS);
      const before = database.cpuMicros();
      const measured = await run(seconds);
      const cpuMicros = { postgres: database.cpuMicros() - before };
      const written = warmUp.operations + measured.operations;
      return {
        operations: measured.operations,
        seconds: measured.operations / measured.perSecond,
        p50Ms: measured.p50Ms,
        p99Ms: measured.p99Ms,
        cpuMicros,
        invalid: await options.check(written),
      };
    },
  };
}

interface PgbenchRun {
  readonly operations: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function runPgbench(options: {
  readonly program: string;
  readonly url: string;
  readonly script: PgbenchScript;
  readonly run: number;
  readonly seconds: number;
  readonly connections: number;
}): Promise<PgbenchRun> {
  const folder = await mkdtemp(join(tmpdir(), 'paymount-pgbench-'));
  const { hostname, port, username, password, pathname } = new URL(options.url);
  const variables = { ...options.script.variables, base: baseOfRun(options.run) };
  try {
    await writeFile(join(folder, 'script.sql'), options.script.text);
    const { stdout } = await promisify(execFile)(
      options.program,
      [
        '--no-vacuum',
        '--protocol=prepared',
        '--file=script.sql',
        `--client=${options.connections}`,
        `--jobs=${THREADS}`,
        `--time=${options.seconds}`,
        '--log',
        `--sampling-rate=${SAMPLING_RATE}`,
        '--log-prefix=log',
        ...Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
        '-h',
        hostname,
        '-p',
        port || '5432',
        '-U',
        username || 'postgres',
        pathname.slice(1),
      ],
      {
        cwd: folder,
        env: { ...process.env, ...(password && { PGPASSWORD: decodeURIComponent(password) }) },
        timeout: (options.seconds + 30) * 1000,
      },
    );
    const latencies = await readLatencies(folder);
    return {
      operations: numberIn(stdout, /number of transactions actually processed: (\d+)/),
      perSecond: numberIn(stdout, /tps = ([\d.]+)/),
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The third field of each line is the transaction's time in µs. */
async function readLatencies(folder: string): Promise<readonly number[]> {
  const files = (await readdir(folder)).filter((name) => name.startsWith('log.'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) =>
    text
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Number(line.split(' ')[2]) / 1000),
  );
}

function numberIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`pgbench printed no ${pattern.source}:\n${text}`);
  return Number(found);
}

/** On PATH, else where Debian keeps the programs of each PostgreSQL, newest first. */
function findPgbench(): string {
  const versions = existsSync(DEBIAN_ROOT)
    ? readdirSync(DEBIAN_ROOT).sort((a, b) => Number(b) - Number(a))
    : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((version) => join(DEBIAN_ROOT, version, 'bin')),
  ];
  const found = folders.map((folder) => join(folder, 'pgbench')).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new NotMeasured(
    'there is no pgbench; install the PostgreSQL client programs (Debian: apt-get install postgresql-contrib)',
  );
}
