import { DispatchHub } from '@paymount/core/events';
import { createPostgresStorage, migrate } from '@paymount/storage-postgres';
import { LOG_DAYS_AHEAD } from '../../packages/paymount/src/parts/upkeep-tasks.ts';
import { Cleanup } from './cleanup.ts';
import { createTemplate } from './database.ts';
import { findPostgres } from './postgres.ts';
import { findRedis, REDIS_CURE } from './redis.ts';

/** The servers of one run, as the environment variables that hand them to the tests. */
export interface Services {
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * Finds or starts PostgreSQL and Redis and prepares the migrated template database.
 * @param onLog receives what the servers we start print
 * @throws Error in CI where there is no Redis: there a skipped test would go unnoticed
 */
export async function startServices(onLog: (text: string) => void): Promise<Services> {
  const redis = await findRedis(onLog);
  if (!redis && process.env['CI']) throw new Error(`There is no Redis: ${REDIS_CURE}.`);
  if (!redis) {
    process.stdout.write(`Tests that need Redis are skipped; to run them, ${REDIS_CURE}.\n`);
  }
  const cleanup = new Cleanup();
  if (redis) cleanup.onEnd(() => redis.stop());
  try {
    const postgres = await findPostgres(onLog);
    cleanup.onEnd(() => postgres.stop());
    const template = await createTemplate(postgres.url, prepareTemplate);
    cleanup.onEnd(() => template.dropAll());
    return {
      environment: {
        PAYMOUNT_TEST_DATABASE_URL: postgres.url,
        PAYMOUNT_TEST_TEMPLATE: template.name,
        ...(redis && { PAYMOUNT_TEST_REDIS_URL: redis.url }),
      },
      stop: () => cleanup.run(),
    };
  } catch (error) {
    // A server left running would keep this process from ending.
    await cleanup.run();
    throw error;
  }
}

/** Migrates, and creates the partitions that the first worker of each database would create. */
async function prepareTemplate(url: string): Promise<void> {
  await migrate({ connection: url });
  const storage = createPostgresStorage({ connection: url, dispatch: new DispatchHub() });
  try {
    await storage.deliveries.createPartitions(new Date(), LOG_DAYS_AHEAD);
  } finally {
    await storage.close();
  }
}
