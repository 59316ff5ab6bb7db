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
  const [postgres, redis] = await Promise.all([findPostgres(onLog), findRedis(onLog)]);
  if (!redis && process.env['CI']) throw new Error(`There is no Redis: ${REDIS_CURE}.`);
  if (!redis)
    process.stdout.write(`Tests that need Redis are skipped; to run them, ${REDIS_CURE}.\n`);
  const template = await createTemplate(postgres.url, migrateTemplate);
  return {
    environment: {
      PAYMOUNT_TEST_DATABASE_URL: postgres.url,
      PAYMOUNT_TEST_TEMPLATE: template.name,
      ...(redis && { PAYMOUNT_TEST_REDIS_URL: redis.url }),
    },
    async stop() {
      try {
        await template.dropAll();
      } finally {
        await Promise.all([postgres.stop(), redis?.stop()]);
      }
    },
  };
}

async function migrateTemplate(_url: string): Promise<void> {
  // Filled in as soon as storage-postgres has its migrations.
}
