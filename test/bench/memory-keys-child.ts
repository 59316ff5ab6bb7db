import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGuard, type GuardRequest } from '@paymount/auth';
import { DispatchHub } from '@paymount/core/events';
import { PaymountError } from '@paymount/core/kernel';
import { createPostgresStorage } from '@paymount/storage-postgres';
import { systemClock } from './bench-clock.ts';
import { answerCommands } from './child.ts';
import { silentLogger } from './silent-logger.ts';

/** A guard that lets keys in, and tells what that costs in memory. */
const AT_ONCE = 20;
const MAX_TRIES = 20;
const RETRY_AFTER_MS = 200;
setFlagsFromString('--expose_gc');
const collect: () => void = runInNewContext('gc');

const postgres = createPostgresStorage({
  connection: process.env['BENCH_DATABASE_URL'] ?? '',
  dispatch: new DispatchHub(),
});
const guard = createGuard({
  credentials: postgres.credentials,
  clock: systemClock,
  logger: silentLogger,
});

function requestWith(key: string): GuardRequest {
  return {
    rawHeaders: ['Authorization', `Bearer ${key}`],
    address: '127.0.0.1',
  };
}

async function letIn(keys: string[]): Promise<void> {
  const left = [...keys];
  const one = async (): Promise<void> => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) await letInOne(key);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** On a busy machine a look-up may take longer than the guard waits for it. */
async function letInOne(key: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await guard.authenticate(requestWith(key), 'test');
      return;
    } catch (error) {
      if (!PaymountError.is(error) || error.code !== 'unavailable' || tries === MAX_TRIES) {
        throw error;
      }
      await wait(RETRY_AFTER_MS);
    }
  }
}

answerCommands(
  {
    letIn,
    /** How many are let in at once: without asking the database. */
    async countCached(keys: string[]): Promise<number> {
      // The lease lapsed while nobody asked; with the second request there is one again.
      await letIn(keys.slice(0, 1));
      await letIn(keys.slice(0, 1));
      const answers = keys.map((key) => guard.authenticate(requestWith(key), 'test'));
      const late = answers.filter((answer) => answer instanceof Promise);
      await Promise.allSettled(late);
      return keys.length - late.length;
    },
    memory() {
      collect();
      collect();
      const { heapUsed, external } = process.memoryUsage();
      return { heapMegabytes: heapUsed / 1e6, externalMegabytes: external / 1e6 };
    },
  },
  async () => {
    guard.close();
    await postgres.close();
  },
);
