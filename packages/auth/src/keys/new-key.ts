import {
  type AccountId,
  type Environment,
  type Key,
  newId,
  SCOPES,
  type Scope,
} from '@paymount/core';
import { checkedName, invalid } from './checks.ts';
import { hashCredential, redact } from './key-format.ts';

export type NewKey = {
  readonly accountId: AccountId;
  readonly environment: Environment;
  /** 1-100 characters. */
  readonly name: string;
  /** Later than now. */
  readonly expiresAt?: Date;
  /** Who made it, for the record: `cli`, the id of an admin. */
  readonly createdBy: string;
} & (
  | { readonly type: 'secret' | 'publishable' }
  /** At least one scope. */
  | { readonly type: 'restricted'; readonly scopes: readonly Scope[] }
);

/** @throws `parameter_invalid` */
export function checkNewKey(input: NewKey, now: Date): void {
  checkedName(input.name, 100);
  if (input.expiresAt !== undefined && !(input.expiresAt > now)) {
    throw invalid('expires_at', 'A key must expire later than now.');
  }
  if (input.type === 'restricted') checkedScopes(input.scopes);
}

/** The row of a new key. @param secret the key itself */
export function newKey(input: NewKey, secret: string, now: Date): Key {
  return {
    ...freshRow(secret, now),
    accountId: input.accountId,
    environment: input.environment,
    type: input.type,
    name: input.name.trim(),
    ...(input.type === 'publishable' ? { publicValue: secret } : {}),
    ...(input.type === 'restricted' ? { scopes: checkedScopes(input.scopes) } : {}),
    ...(input.expiresAt === undefined ? {} : { expiresAt: input.expiresAt }),
    createdBy: input.createdBy,
  };
}

/** The row of the key that replaces another: same type, name, scopes and addresses. */
export function successorOf(
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
export function isLive({ status, expiresAt }: Key, now: Date): boolean {
  return status === 'active' && (expiresAt === undefined || expiresAt > now);
}

/** Each scope once, in order. @throws `parameter_invalid` when there is none, or an unknown one */
export function checkedScopes(scopes: readonly Scope[]): readonly Scope[] {
  if (scopes.length === 0) throw invalid('scopes', 'A restricted key has at least one scope.');
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined) {
    throw invalid('scopes', `There is no scope ${unknown}; the scopes are ${SCOPES.join(', ')}.`);
  }
  return [...new Set(scopes)].sort();
}
