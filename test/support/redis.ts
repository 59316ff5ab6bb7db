import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { Context } from 'mocha';
import { spawnTethered } from '../../packages/paymount/src/testing/tethered-process.ts';
import { eventually } from './eventually.ts';
import { accepts, freePort, hasProgram } from './local-program.ts';
import { skipUnless, skipWithout } from './skip.ts';

/** Set by the runner: the shared server's address, or nothing where there is no Redis. */
const SHARED_URL = 'PAYMOUNT_TEST_REDIS_URL';
const READY_LIMIT_MS = 10_000;

/** How to get the skipped tests to run. */
export const REDIS_CURE = 'install redis-server, or set REDIS_URL';

/** A running Redis that holds nothing on disk. */
export interface RedisServer {
  readonly url: string;
  /** Ends the server (a given one is left alone). Twice is harmless. */
  stop(): Promise<void>;
}

/**
 * The Redis of a test run: the one of `REDIS_URL`, else `redis-server` on a free port, installed
 * with apt when we are root.
 * @returns undefined where there is none and none can be installed
 */
export async function findRedis(onLog: (text: string) => void): Promise<RedisServer | undefined> {
  const given = process.env['REDIS_URL'];
  if (given) return { url: given, stop: async () => undefined };
  if (!hasProgram('redis-server') && !installRedis(onLog)) return undefined;
  return startRedis({ onLog });
}

/**
 * The shared server's URL; skips the test, naming the cure, where there is none. Files share it:
 * use key prefixes of your own, and `ownRedis` to flush or kill.
 */
export function redisUrl(test: Context): string {
  return process.env[SHARED_URL] ?? skipWithout(`Redis (${REDIS_CURE})`, test);
}

/**
 * Starts a server for this file alone, to be flushed and killed at will; skips where there is no
 * `redis-server` program.
 * @param options `port` starts it again where it was before
 */
export async function ownRedis(
  test: Context,
  options: { port?: number } = {},
): Promise<RedisServer> {
  skipUnless(hasProgram('redis-server'), 'the program redis-server', test);
  return startRedis(options);
}

async function startRedis(options: {
  port?: number;
  onLog?: (text: string) => void;
}): Promise<RedisServer> {
  const port = options.port ?? (await freePort());
  const server = spawnTethered({
    program: 'redis-server',
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    cwd: tmpdir(),
    stopSignal: 'TERM',
  });
  let said = '';
  let ended = false;
  server.stdout.on('data', (text: Buffer) => {
    said = (said + text.toString()).slice(-2_000);
    options.onLog?.(text.toString());
  });
  server.stdout.on('end', () => {
    ended = true;
  });
  const isReady = await eventually(
    async () => ended || (await accepts(port)),
    Boolean,
    READY_LIMIT_MS,
  )
    .then(() => !ended)
    .catch(() => false);
  if (!isReady) throw new Error(`redis-server did not start:\n${said}`);
  return { url: `redis://127.0.0.1:${port}`, stop: () => server.stop() };
}

function installRedis(onLog: (text: string) => void): boolean {
  if (process.getuid?.() !== 0 || !hasProgram('apt-get')) return false;
  const script = 'apt-get update && apt-get install -y --no-install-recommends redis-server';
  const result = spawnSync('/bin/sh', ['-c', script], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 180_000,
  });
  onLog(`${result.stdout}${result.stderr}`);
  return hasProgram('redis-server');
}
