import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseKeyRing, type RingKey } from '@paymount/auth';
import { type CliContext, usage } from '@paymount/cli';
import { errorMessage } from '@paymount/core/kernel';
import type { StorageAdapter } from '@paymount/core/store';
import { assertKnownOptions } from '../options/known-options.ts';
import type { PaymountOptions, PaymountStorageOptions } from '../options/options.ts';
import { connectionStringOption } from '../options/postgres-storage.ts';
import { requireAdapter } from '../options/require-adapter.ts';

/** Options of `createPaymount`, on PostgreSQL or on another storage. */
export type ConfiguredOptions = PaymountOptions | PaymountStorageOptions;

/** The options of `createPaymount` that the operators' commands use. */
export interface Settings
  extends Pick<PaymountOptions, 'issuerTag' | 'safeAfterSeconds' | 'sealingKeys'> {
  readonly adapter: StorageAdapter;
}

/**
 * Two connections, because `verify` reads on both. Works behind any pooler: a command is too short
 * to benefit from prepared statements.
 */
const OF_COMMANDS = { poolSize: 2, preparedStatements: false } as const;

/**
 * Reads the settings of a command: from the module that `--config` names, which exports the
 * options of `createPaymount` as `options` or as its default; else from `DATABASE_URL`,
 * `PAYMOUNT_SCHEMA` and `PAYMOUNT_KEYS`.
 * @throws CommandFailure that says what to do
 */
export async function readSettings({
  config,
  env,
}: Pick<CliContext, 'config' | 'env'>): Promise<Settings> {
  if (config !== undefined) return toSettings(await loadOptions(config), config);
  const { DATABASE_URL: database, PAYMOUNT_SCHEMA: schema, PAYMOUNT_KEYS: keys } = env;
  if (!database) {
    throw usage(
      'No database: set DATABASE_URL, or pass --config with a module that exports your options.',
    );
  }
  // The message does not repeat the text: it may contain a password.
  if (!connectionStringOption.accepts(database)) {
    throw usage(`DATABASE_URL must be ${connectionStringOption.must}.`);
  }
  return {
    adapter: requireAdapter({
      database,
      ...OF_COMMANDS,
      ...(schema && { schema }),
    }),
    ...(keys && { sealingKeys: parseRing(keys) }),
  };
}

/** The addresses of what an installation uses besides its database; absent if it uses none. */
export interface OutsideServers {
  readonly redis: string | undefined;
  /** The proxy through which webhooks leave. */
  readonly proxy: string | undefined;
}

/** Reads them from the module that `--config` names; without it, Redis from `REDIS_URL`. */
export async function readOutside({
  config,
  env,
}: Pick<CliContext, 'config' | 'env'>): Promise<OutsideServers> {
  if (config === undefined) return { redis: env['REDIS_URL'] || undefined, proxy: undefined };
  const { redis, egress } = checkedOptions(await loadOptions(config), config);
  return { redis, proxy: egress?.proxy };
}

/**
 * Reads all options from the module of `--config`.
 * @throws CommandFailure without `--config`; it says what to do
 */
export async function readOptions({
  config,
}: Pick<CliContext, 'config'>): Promise<ConfiguredOptions> {
  if (config === undefined) {
    throw usage(
      'This command needs --config with a module that exports the options of createPaymount, because it runs your hook and your fees.',
    );
  }
  const options = await loadOptions(config);
  return checkedOptions(options, config);
}

function parseRing(keys: string): RingKey[] {
  try {
    return parseKeyRing(keys);
  } catch (cause) {
    const reason = errorMessage(cause);
    throw usage(`PAYMOUNT_KEYS: ${reason}`, { cause });
  }
}

async function loadOptions(config: string): Promise<unknown> {
  try {
    const module: unknown = await import(pathToFileURL(resolve(config)).href);
    return readExport(module, 'options') ?? readExport(module, 'default');
  } catch (cause) {
    const reason = errorMessage(cause);
    throw usage(`${config} cannot be loaded: ${reason}`, { cause });
  }
}

function readExport(module: unknown, name: string): unknown {
  if (typeof module !== 'object' || module === null) return undefined;
  const found: unknown = Reflect.get(module, name);
  return found;
}

function toSettings(exported: unknown, config: string): Settings {
  const options = checkedOptions(exported, config);
  const { issuerTag, safeAfterSeconds, sealingKeys } = options;
  return {
    adapter: createAdapter(options),
    ...(issuerTag === undefined ? {} : { issuerTag }),
    ...(safeAfterSeconds === undefined ? {} : { safeAfterSeconds }),
    ...(sealingKeys === undefined ? {} : { sealingKeys }),
  };
}

/** A command needs fewer connections than the app, and opens those of `directUrl` only to check them. */
function createAdapter(options: ConfiguredOptions): StorageAdapter {
  if (options.storage !== undefined) return requireAdapter(options);
  const { database, schema, directUrl } = options;
  return requireAdapter({
    database,
    ...OF_COMMANDS,
    ...(schema === undefined ? {} : { schema }),
    ...(directUrl === undefined ? {} : { directUrl }),
  });
}

function checkedOptions(options: unknown, config: string): ConfiguredOptions {
  if (!isOptions(options)) {
    throw usage(
      `${config} must export the options of createPaymount, with \`database\`, as \`options\` or as its default.`,
    );
  }
  if (options.storage === undefined && !options.database) {
    throw usage(`\`database\` of ${config} is empty; is DATABASE_URL set?`);
  }
  try {
    assertKnownOptions('createPaymount()', options, config);
  } catch (cause) {
    const reason = errorMessage(cause);
    throw usage(reason, { cause });
  }
  return options;
}

function isOptions(options: unknown): options is ConfiguredOptions {
  return (
    typeof options === 'object' &&
    options !== null &&
    ('database' in options || 'storage' in options)
  );
}
