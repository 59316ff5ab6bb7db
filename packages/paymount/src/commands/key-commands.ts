import { createKeyService, type KeyService, type NewKey } from '@paymount/auth';
import {
  type AccountId,
  type Environment,
  type Key,
  type KeyId,
  type KeyType,
  parseId,
  SCOPES,
  type Scope,
} from '@paymount/core';
import type { PostgresStorage } from '@paymount/storage-postgres';
import { systemClock } from '../adapters/system-clock.ts';
import { commandCaller } from './caller.ts';
import type { Context } from './context.ts';
import type { Settings } from './settings.ts';
import { EXIT, UsageError } from './terminal.ts';
import { withStorage } from './with-storage.ts';

export interface KeyFlags {
  readonly account: string;
  readonly environment: Environment;
  readonly type: KeyType;
  readonly name: string;
  readonly scopes?: string;
}

/** `paymount keys create`: prints the key, this once; remarks go to standard error. */
export async function createKeyCommand(context: Context, flags: KeyFlags): Promise<number> {
  const input = newKeyOf(flags);
  const settings = await context.settings();
  const { key, secret } = await withStorage(settings, (storage) =>
    keyService(settings, storage).create(input, commandCaller()),
  );
  context.remark(`${key.id}: ${key.type} key of ${key.accountId} for ${key.environment}.`);
  if (key.type !== 'publishable')
    context.remark('It is shown this once; keep it in your secret store.');
  context.report({ ...toJson(key), secret }, [secret]);
  return EXIT.done;
}

/** `paymount keys revoke`: refused everywhere within half a second. */
export async function revokeKeyCommand(
  context: Context,
  id: string,
  flags: { readonly reason: NonNullable<Key['revokedReason']> },
): Promise<number> {
  const keyId = keyIdOf(id);
  const settings = await context.settings();
  const key = await withStorage(settings, (storage) =>
    keyService(settings, storage).revoke(keyId, flags.reason, commandCaller()),
  );
  context.report(toJson(key), [
    `${key.id} (${key.redacted}) is revoked since ${key.revokedAt?.toISOString()}.`,
  ]);
  return EXIT.done;
}

/** `paymount keys list`: one line for each key of an account, newest first. */
export async function listKeysCommand(
  context: Context,
  flags: { readonly account: string },
): Promise<number> {
  const accountId = accountIdOf(flags.account);
  const keys = await withStorage(await context.settings(), (storage) =>
    allKeysOf(storage, accountId),
  );
  context.report(
    { keys: keys.map(toJson) },
    keys.map((key) => `${key.id}  ${key.redacted}  ${key.status}  ${key.name}`),
  );
  return EXIT.done;
}

/** Page by page; an account has at most 100 keys that work, and any number that do not. */
async function allKeysOf(
  { directory }: PostgresStorage,
  account: AccountId,
): Promise<readonly Key[]> {
  const reach = { accounts: [account], environments: ['live', 'test'] } as const;
  const keys: Key[] = [];
  for (;;) {
    const last = keys.at(-1);
    const page = { limit: 100, ...(last && { startingAfter: last.id }) };
    const { data, hasMore } = await directory.keys.list(reach, {}, page);
    keys.push(...data);
    if (!hasMore) return keys;
  }
}

function keyService({ issuerTag }: Settings, storage: PostgresStorage): KeyService {
  return createKeyService({
    access: storage.access,
    keys: storage.directory.keys,
    clock: systemClock,
    ...(issuerTag === undefined ? {} : { issuerTag }),
  });
}

function newKeyOf({ account, environment, type, name, scopes }: KeyFlags): NewKey {
  const base = { accountId: accountIdOf(account), environment, name, createdBy: 'cli' };
  if (type !== 'restricted') {
    if (scopes !== undefined) throw new UsageError('--scopes is for keys of type restricted.');
    return { ...base, type };
  }
  if (scopes === undefined) throw new UsageError('A restricted key needs --scopes.');
  return { ...base, type, scopes: scopes.split(',').map(scopeOf) };
}

function scopeOf(text: string): Scope {
  const scope = SCOPES.find((known) => known === text.trim());
  if (scope !== undefined) return scope;
  throw new UsageError(`There is no scope ${text}; the scopes are ${SCOPES.join(', ')}.`);
}

function accountIdOf(text: string): AccountId {
  const id = parseId('acct', text);
  if (id === undefined) throw new UsageError(`${text} is no account id (acct_...).`);
  return id;
}

function keyIdOf(text: string): KeyId {
  const id = parseId('key', text);
  if (id !== undefined) return id;
  throw new UsageError('Name the key by its id (key_...), as `paymount keys list` shows it.');
}

function toJson(key: Key): Record<string, unknown> {
  return {
    id: key.id,
    account: key.accountId,
    livemode: key.environment === 'live',
    type: key.type,
    name: key.name,
    redacted: key.redacted,
    status: key.status,
    scopes: key.scopes ?? null,
    created: key.created.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
    revoked_reason: key.revokedReason ?? null,
  };
}
