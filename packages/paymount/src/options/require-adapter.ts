import type { StorageAdapter } from '@paymount/core/store';
import type { PaymountOptions, PaymountStorageOptions } from './options.ts';
import { POSTGRES_OPTIONS, postgresStorage } from './postgres-storage.ts';

const MEMBERS = ['migrate', 'open'] as const;

/**
 * The storage adapter of the options; PostgreSQL if they have a database instead.
 * @throws Error if neither is given; TypeError if both are, or if it is not an adapter
 */
export function requireAdapter(options: PaymountOptions | PaymountStorageOptions): StorageAdapter {
  if (options.storage === undefined) {
    const { database, schema, poolSize, directUrl, preparedStatements } = options;
    return postgresStorage({
      database,
      ...(schema === undefined ? {} : { schema }),
      ...(poolSize === undefined ? {} : { poolSize }),
      ...(directUrl === undefined ? {} : { directUrl }),
      ...(preparedStatements === undefined ? {} : { preparedStatements }),
    });
  }
  const { storage } = options;
  assertAdapter(storage);
  for (const name of Object.keys(POSTGRES_OPTIONS)) {
    if (Reflect.get(options, name) === undefined) continue;
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
    '`storage` is not a storage adapter: it needs `namespace` (letters, digits and `_`) and the functions `migrate` and `open`. `pgliteStorage()` returns a promise: await it.',
  );
}
