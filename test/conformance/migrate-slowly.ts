import { migrate } from '@paymount/storage-postgres';
import { MIGRATIONS } from '../../packages/storage-postgres/src/schema/migrations/all-migrations.ts';

/** Migrates the database of the first argument, and hangs in the middle of the last step. */
const slow = {
  name: '9000-slow',
  breaking: false,
  sql: (schema: string) => `CREATE TABLE ${schema}.half_made (id int); SELECT pg_sleep(60)`,
};
await migrate({ connection: String(process.argv[2]), migrations: [...MIGRATIONS, slow] });
