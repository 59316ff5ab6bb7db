import type { StorageAdapter } from '@paymount/core';
import type { PaymountOptions, PaymountStorageOptions } from './options.ts';
import { postgresStorage } from './postgres-storage.ts';

const MEMBERS = ['migrate', 'open'] as const;

/**
 * The storage that the options name; PostgreSQL where they name a database instead.
 * @throws Error when neither is given; TypeError when both are, and for what is no adapter
 */
export function storageOf(options: PaymountOptions | PaymountStorageOptions): StorageAdapter {
  const { storage, database, schema, poolSize, directUrl, preparedStatements } = options;
  const postgres = { database, schema, poolSize, directUrl, preparedStatements };
  if (storage === undefined) {
    // The driver would go to a database of its own choice.
    if (!database) throw new Error('`database` is empty; is DATABASE_URL set?');
    return postgresStorage({
      database,
      ...(schema === undefined ? {} : { schema }),
      ...(poolSize === undefined ? {} : { poolSize }),
      ...(directUrl === undefined ? {} : { directUrl }),
      ...(preparedStatements === undefined ? {} : { preparedStatements }),
    });
  }
  assertAdapter(storage);
  for (const [name, value] of Object.entries(postgres)) {
    if (value === undefined) continue;
    throw new TypeError(
      `\`storage\` and \`${name}\` cannot both be given: pass \`${name}\` to the storage, or leave \`storage\` out.`,
    );
  }
  return storage;
}

/** JavaScript may pass anything. */
function assertAdapter(storage: StorageAdapter): void {
  const isWhole =
    typeof storage === 'object' &&
    storage !== null &&
    MEMBERS.every((name) => typeof storage[name] === 'function') &&
    typeof storage.namespace === 'string' &&
    /^[A-Za-z0-9_]+$/.test(storage.namespace);
  if (isWhole) return;
  throw new TypeError(
    '`storage` is no storage adapter: it needs `namespace` (letters, digits and `_`) and the functions `migrate` and `open`. `pgliteStorage()` answers a promise: await it.',
  );
}
