import { spawnSync } from 'node:child_process';
import type { Context } from 'mocha';
import { ownRedis, type RedisServer } from './redis.ts';

/** Whether one can be started here. */
export function hasRedis(): boolean {
  return spawnSync('/bin/sh', ['-c', 'command -v redis-server']).status === 0;
}

/**
 * A Redis that one scenario may flush and kill.
 * @param port starts it again where it was before
 * @returns undefined where there is no `redis-server` program
 */
export async function isolatedRedis(port?: number): Promise<RedisServer | undefined> {
  if (!hasRedis()) return undefined;
  const neverSkips = {
    skip() {
      throw new Error('There is no redis-server.');
    },
  } as unknown as Context;
  return ownRedis(neverSkips, port === undefined ? {} : { port });
}
