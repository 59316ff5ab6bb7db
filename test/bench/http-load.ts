import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Child, startChild } from './child.ts';

/** A request that is sent over and over; `@@@@@@@@` in a header becomes a number used once. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What is sent where; the requests take turns. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly requests: readonly LoadRequest[];
}

/** Put it where each request needs a value of its own. */
export const UNIQUE = '@@@@@@@@';

/** What the load generator saw. */
export interface LoadResult {
  readonly operations: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not 2xx, and requests that got none. */
  readonly failures: number;
}

/** Loads one server from a process of its own. */
export interface LoadGenerator {
  readonly name: string;
  run(seconds: number): Promise<LoadResult>;
  close(): Promise<void>;
}

const LUA = fileURLToPath(new URL('load.lua', import.meta.url));

/** `wrk` where it is installed, else `autocannon`, which takes more of the machine for itself. */
export async function openLoad(load: Load): Promise<LoadGenerator> {
  return hasWrk() ? openWrk(load) : openAutocannon(load);
}

function hasWrk(): boolean {
  return spawnSync('/bin/sh', ['-c', 'command -v wrk']).status === 0;
}

async function openWrk(load: Load): Promise<LoadGenerator> {
  const folder = await mkdtemp(join(tmpdir(), 'paymount-load-'));
  const file = join(folder, 'requests');
  await writeFile(file, load.requests.map((request) => onOneLine(request, load.port)).join('\n'));
  return {
    name: 'wrk',
    async run(seconds) {
      const { stdout } = await promisify(execFile)(
        'wrk',
        [
          '-t',
          '1',
          '-c',
          String(load.connections),
          '-d',
          `${seconds}s`,
          '-s',
          LUA,
          `http://127.0.0.1:${load.port}`,
          '--',
          file,
        ],
        { timeout: (seconds + 30) * 1000 },
      );
      return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{'))) as LoadResult;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The bytes of a request, line ends escaped, as `load.lua` reads them. */
function onOneLine({ method, path, headers, body = '' }: LoadRequest, port: number): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...length,
    '',
    body,
  ];
  return lines.join('\\r\\n');
}

async function openAutocannon(load: Load): Promise<LoadGenerator> {
  const child: Child = await startChild('autocannon-child.ts');
  return {
    name: 'autocannon',
    run: (seconds) => child.ask('run', { load, seconds }),
    close: () => child.stop(),
  };
}
