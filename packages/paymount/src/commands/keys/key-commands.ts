import { type CliContext, EXIT, table } from '@paymount/cli';
import {
  createKeyService,
  type Key,
  type KeyJson,
  type KeyService,
  type KeyViews,
  keyViews,
  MAX_OVERLAP_SECONDS,
  toKeyResource,
  toNewKeyResource,
} from '@paymount/core/access';
import type { AccountId } from '@paymount/core/kernel';
import type { Stores } from '@paymount/core/store';
import { systemClock } from '../../adapters/system-clock.ts';
import { commandCaller } from '../caller.ts';
import { parseAccountId, parseKeyId } from '../id-arguments.ts';
import { requireAccount } from '../require-account.ts';
import { readSettings, type Settings } from '../settings.ts';
import { parseSeconds } from '../time-flags.ts';
import { withStorage } from '../with-storage.ts';
import { type KeyEditFlags, type KeyFlags, toKeyEdit, toNewKey } from './key-flags.ts';

const OVERLAP_DAYS = MAX_OVERLAP_SECONDS / 86_400;

/** `paymount keys create`: prints the key, only once; messages go to standard error. */
export async function createKeyCommand(context: CliContext, flags: KeyFlags): Promise<number> {
  const caller = commandCaller();
  const input = toNewKey(flags, caller.by.actor.id);
  const { key, secret } = await withKeys(context, ({ keys }) => keys.create(input, caller));
  context.printNote(`${key.id}: ${key.type} key of ${key.accountId} for ${key.environment}.`);
  reportSecret(context, key, secret);
  return EXIT.done;
}

/** `paymount keys rotate`: prints the successor of a key, only once. */
export async function rotateKeyCommand(
  context: CliContext,
  id: string,
  { overlap }: { readonly overlap?: string },
): Promise<number> {
  const keyId = parseKeyId(id);
  const rotation =
    overlap === undefined
      ? {}
      : { overlapSeconds: parseSeconds('--overlap', overlap, OVERLAP_DAYS) };
  const { made, old } = await withKeys(context, async ({ keys, storage }) => ({
    made: await keys.rotate(keyId, rotation, commandCaller()),
    old: await storage.directory.keys.find(keyId),
  }));
  context.printNote(`${made.key.id} replaces ${id}, which ${lifeLeft(old?.expiresAt)}.`);
  reportSecret(context, made.key, made.secret);
  return EXIT.done;
}

function lifeLeft(end: Date | undefined): string {
  if (end === undefined) return 'works until you revoke it';
  if (end <= systemClock.now()) return 'is refused from now on';
  return `works until ${end.toISOString()}`;
}

function reportSecret(context: CliContext, key: Key, secret: string): void {
  if (key.type !== 'publishable')
    context.printNote('It is shown only once; keep it in your secret store.');
  context.report(toNewKeyResource(key, secret, systemClock.now()), [secret]);
}

/** `paymount keys update`: removed rights are refused everywhere within half a second. */
export async function updateKeyCommand(
  context: CliContext,
  id: string,
  flags: KeyEditFlags,
): Promise<number> {
  const keyId = parseKeyId(id);
  const edit = toKeyEdit(flags);
  const key = await withKeys(context, async ({ keys, views }) =>
    shown(views, await keys.update(keyId, edit, commandCaller())),
  );
  context.report(key, [`${id} (${key.redacted}) is changed: ${describeRights(key)}.`]);
  return EXIT.done;
}

/** `paymount keys revoke`: refused everywhere within half a second. */
export async function revokeKeyCommand(
  context: CliContext,
  id: string,
  flags: { readonly reason: NonNullable<Key['revokedReason']> },
): Promise<number> {
  const keyId = parseKeyId(id);
  const key = await withKeys(context, async ({ keys, views }) =>
    shown(views, await keys.revoke(keyId, flags.reason, commandCaller())),
  );
  context.report(key, [`${id} (${key.redacted}) is revoked since ${key.revoked_at}.`]);
  return EXIT.done;
}

/** `paymount keys list`: one line for each key of an account, newest first. */
export async function listKeysCommand(
  context: CliContext,
  flags: { readonly account: string },
): Promise<number> {
  const accountId = parseAccountId(flags.account);
  const keys = await withKeys(context, async ({ storage, views }) => {
    await requireAccount(storage, accountId);
    const found = await listAllKeys(storage, accountId);
    const viewOf = await views(found);
    return found.map((key) => toKeyResource(key, viewOf(key)));
  });
  context.report({ keys }, table(HEADS, keys.map(toRow)));
  return EXIT.done;
}

/** Page by page; an account has at most 100 active keys, and any number of inactive ones. */
async function listAllKeys({ directory }: Stores, account: AccountId): Promise<readonly Key[]> {
  const scope = { accounts: [account], environments: ['live', 'test'] } as const;
  const keys: Key[] = [];
  for (;;) {
    const last = keys.at(-1);
    const page = { limit: 100, ...(last && { startingAfter: last.id }) };
    const { data, hasMore } = await directory.keys.list(scope, {}, page);
    keys.push(...data);
    if (!hasMore) return keys;
  }
}

const HEADS = [
  'ID',
  'KEY',
  'TYPE',
  'STATUS',
  'ENDS',
  'LAST USED',
  '24 H',
  'SAFE TO REVOKE',
  'REPLACED BY',
  'NAME',
];

function toRow(key: KeyJson): readonly string[] {
  return [
    key.id,
    key.redacted,
    key.type,
    key.status,
    shownTime(key.revoked_at ?? key.expires_at, '-'),
    shownTime(key.last_used_at, 'never'),
    String(key.requests_24h),
    safety(key),
    key.replaced_by ?? '-',
    key.name,
  ];
}

function safety({ status, safe_to_revoke: isSafe }: KeyJson): string {
  if (status === 'revoked') return '-';
  return isSafe ? 'yes' : 'no';
}

function shownTime(time: string | null, none: string): string {
  return time === null ? none : `${time.slice(0, 19)}Z`;
}

function describeRights(key: KeyJson): string {
  const rights = [
    key.name,
    ...(key.scopes === null ? [] : [`scopes ${key.scopes.join(', ')}`]),
    `from ${key.allowed_ips?.join(', ') ?? 'any address'}`,
    `until ${key.expires_at ?? 'it is revoked'}`,
  ];
  return rights.join('; ');
}

async function shown(views: KeyViews, key: Key): Promise<KeyJson> {
  const viewOf = await views([key]);
  return toKeyResource(key, viewOf(key));
}

interface Keys {
  readonly keys: KeyService;
  readonly views: KeyViews;
  readonly storage: Stores;
}

async function withKeys<Result>(
  context: CliContext,
  work: (keys: Keys) => Promise<Result>,
): Promise<Result> {
  const settings = await readSettings(context);
  return withStorage(settings, (storage) => work(keysOn(settings, storage)));
}

function keysOn({ issuerTag, safeAfterSeconds }: Settings, storage: Stores): Keys {
  const { access, directory, usage } = storage;
  const clock = systemClock;
  return {
    keys: createKeyService({
      access,
      keys: directory.keys,
      clock,
      ...(issuerTag === undefined ? {} : { issuerTag }),
    }),
    views: keyViews({
      usage,
      clock,
      ...(safeAfterSeconds === undefined ? {} : { safeAfterSeconds }),
    }),
    storage,
  };
}
