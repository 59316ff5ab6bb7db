import { spawnSync } from 'node:child_process';
import type { Context } from 'mocha';
import { ownRedis, type RedisServer } from '../support/redis.ts';

/**
 * A Redis that one scenario may flush and kill.
 * @param port starts it again where it was before
 * @returns undefined where there is no `redis-server` program
 */
export async function isolatedRedis(port?: number): Promise<RedisServer | undefined> {
  if (spawnSync('/bin/sh', ['-c', 'command -v redis-server']).status !== 0) return undefined;
  const neverSkips = {
    skip() {
      throw new Error('There is no redis-server.');
    },
  } as unknown as Context;
  return ownRedis(neverSkips, port === undefined ? {} : { port });
}
