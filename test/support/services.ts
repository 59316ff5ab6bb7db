import { migrate } from '@paymount/storage-postgres';
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
  const cleanups = [async () => redis?.stop()];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const postgres = await findPostgres(onLog);
    cleanups.push(() => postgres.stop());
    const template = await createTemplate(postgres.url, migrateTemplate);
    cleanups.push(() => template.dropAll());
    return {
      environment: {
        PAYMOUNT_TEST_DATABASE_URL: postgres.url,
        PAYMOUNT_TEST_TEMPLATE: template.name,
        ...(redis && { PAYMOUNT_TEST_REDIS_URL: redis.url }),
      },
      stop,
    };
  } catch (error) {
    // A server left running would keep this process from ending.
    await stop();
    throw error;
  }
}

async function migrateTemplate(url: string): Promise<void> {
  await migrate({ connection: url });
}
