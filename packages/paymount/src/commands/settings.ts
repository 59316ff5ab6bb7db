import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseKeyRing, type RingKey } from '@paymount/auth';
import type { PaymountOptions } from '../options.ts';
import { type Terminal, UsageError } from './terminal.ts';

/** What the operators' commands need of the options of `createPaymount`. */
export type Settings = Pick<
  PaymountOptions,
  'database' | 'schema' | 'issuerTag' | 'safeAfterSeconds' | 'sealingKeys'
>;

/** A URL, or the folder of a Unix socket. */
const CONNECTION_STRING = /^(?:[a-z][a-z0-9+.-]*:\/\/|socket:|\/)/i;

/**
 * Reads the settings of a command: from the module that `--config` names, which exports the
 * options of `createPaymount` as `options` or as its default; else from `DATABASE_URL`,
 * `PAYMOUNT_SCHEMA` and `PAYMOUNT_KEYS`.
 * @throws UsageError with the cure
 */
export async function readSettings(
  config: string | undefined,
  env: Terminal['env'],
): Promise<Settings> {
  if (config !== undefined) return settingsOf(await loadOptions(config), config);
  const { DATABASE_URL: database, PAYMOUNT_SCHEMA: schema, PAYMOUNT_KEYS: keys } = env;
  if (!database) {
    throw new UsageError(
      'No database: set DATABASE_URL, or pass --config with a module that exports your options.',
    );
  }
  return {
    database: checked(database, 'DATABASE_URL'),
    ...(schema && { schema }),
    ...(keys && { sealingKeys: ringOf(keys) }),
  };
}

/**
 * Reads the whole of the options that `--config` names.
 * @throws UsageError without it, with the cure
 */
export async function readOptions(config: string | undefined): Promise<PaymountOptions> {
  if (config === undefined) {
    throw new UsageError(
      'This needs --config with a module that exports the options of createPaymount: your hook and your fees take part.',
    );
  }
  const options = await loadOptions(config);
  const { database } = settingsOf(options, config);
  return { ...asOptions(options, config), database };
}

/** The driver would look for a host named "base". The text is not echoed: it may hold a password. */
function checked(database: Settings['database'], name: string): Settings['database'] {
  if (typeof database !== 'string' || CONNECTION_STRING.test(database)) return database;
  throw new UsageError(
    `${name} is no address of a database, such as postgres://user:password@host/database.`,
  );
}

function ringOf(keys: string): RingKey[] {
  try {
    return parseKeyRing(keys);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`PAYMOUNT_KEYS: ${reason}`, { cause });
  }
}

async function loadOptions(config: string): Promise<unknown> {
  try {
    const module: unknown = await import(pathToFileURL(resolve(config)).href);
    return exportOf(module, 'options') ?? exportOf(module, 'default');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${config} cannot be loaded: ${reason}`, { cause });
  }
}

function exportOf(module: unknown, name: string): unknown {
  if (typeof module !== 'object' || module === null) return undefined;
  const found: unknown = Reflect.get(module, name);
  return found;
}

function settingsOf(options: unknown, config: string): Settings {
  const { database, schema, issuerTag, safeAfterSeconds, sealingKeys } = asOptions(options, config);
  if (!database) throw new UsageError(`\`database\` of ${config} is empty; is DATABASE_URL set?`);
  return {
    database: checked(database, `\`database\` of ${config}`),
    ...(schema === undefined ? {} : { schema }),
    ...(issuerTag === undefined ? {} : { issuerTag }),
    ...(safeAfterSeconds === undefined ? {} : { safeAfterSeconds }),
    ...(sealingKeys === undefined ? {} : { sealingKeys }),
  };
}

function asOptions(options: unknown, config: string): PaymountOptions {
  if (isOptions(options)) return options;
  throw new UsageError(
    `${config} must export the options of createPaymount, with \`database\`, as \`options\` or as its default.`,
  );
}

function isOptions(options: unknown): options is PaymountOptions {
  return typeof options === 'object' && options !== null && 'database' in options;
}
