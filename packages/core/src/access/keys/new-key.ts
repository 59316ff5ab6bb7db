import type { Environment } from '../../kernel/basics/environment.ts';
import { type AccountId, newId } from '../../kernel/basics/id.ts';
import { SCOPES, type Scope } from '../../kernel/callers/scope.ts';
import { requireRanges } from '../addresses/canonical-ranges.ts';
import { checkedName, invalid } from '../checks.ts';
import { hashCredential, type KeyType, redact } from '../credentials/key-format.ts';
import { isExpired, type Key } from './key.ts';

export type NewKey = {
  readonly accountId: AccountId;
  readonly environment: Environment;
  /** 1-100 characters. */
  readonly name: string;
  /**
   * 1-100 addresses and CIDR ranges from which it may be used; not for publishable keys.
   * @defaultValue any address
   */
  readonly allowedIps?: readonly string[];
  /** Later than now. @defaultValue it works until it is revoked */
  readonly expiresAt?: Date;
  /** The creator, for the record: `cli`, the id of an admin. @defaultValue `host` */
  readonly createdBy?: string;
} & (
  | { readonly type: 'secret' | 'publishable' }
  /** At least one scope. */
  | { readonly type: 'restricted'; readonly scopes: readonly Scope[] }
);

/** The row of a new key. @param secret the key itself @throws `parameter_invalid` */
export function newKey(input: NewKey, secret: string, now: Date): Key {
  const { accountId, environment, type, allowedIps, expiresAt } = input;
  if (expiresAt !== undefined && !(expiresAt > now)) {
    throw invalid('expires_at', 'A key must expire later than now.');
  }
  return {
    ...freshRow(secret, now),
    accountId,
    environment,
    type,
    name: checkedName(input.name, 100),
    ...(type === 'publishable' ? { publicValue: secret } : {}),
    // JavaScript callers may leave out required parameters.
    ...(input.type === 'restricted' ? { scopes: checkedScopes(input.scopes ?? []) } : {}),
    ...(allowedIps === undefined ? {} : { allowedIps: checkedRanges(type, allowedIps) }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    createdBy: input.createdBy ?? 'host',
  };
}

/** The row of a key's successor: same type, name, scopes and addresses. */
export function buildSuccessor(
  old: Key,
  secret: string,
  made: { readonly now: Date; readonly createdBy: string },
): Key {
  return {
    ...freshRow(secret, made.now),
    accountId: old.accountId,
    environment: old.environment,
    type: old.type,
    name: old.name,
    ...(old.publicValue === undefined ? {} : { publicValue: secret }),
    ...(old.scopes && { scopes: old.scopes }),
    ...(old.allowedIps && { allowedIps: old.allowedIps }),
    replaces: old.id,
    createdBy: made.createdBy,
  };
}

function freshRow(secret: string, now: Date) {
  return {
    id: newId('key'),
    version: 1,
    hash: hashCredential(secret),
    redacted: redact(secret),
    status: 'active',
    created: now,
  } as const;
}

/** Whether a key is neither revoked nor expired. */
export function isLive(key: Pick<Key, 'status' | 'expiresAt' | 'endedAt'>, now: Date): boolean {
  return key.status === 'active' && !isExpired(key, now);
}

/** Each scope once, in order. @throws `parameter_invalid` if there is none, or an unknown one */
export function checkedScopes(scopes: readonly Scope[]): readonly Scope[] {
  if (scopes.length === 0) throw invalid('scopes', 'A restricted key has at least one scope.');
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined) {
    throw invalid('scopes', `There is no scope ${unknown}; the scopes are ${SCOPES.join(', ')}.`);
  }
  return [...new Set(scopes)].sort();
}

/** Ranges in canonical form. @throws `parameter_invalid`, with a correction if there is one */
export function checkedRanges(type: KeyType, ranges: readonly string[]): readonly string[] {
  // It is in the browser of every customer, so a list would have to contain all their addresses.
  if (type === 'publishable') {
    throw invalid(
      'allowed_ips',
      'A publishable key works from every address and cannot have a list.',
    );
  }
  return requireRanges(ranges, 'allowed_ips');
}
