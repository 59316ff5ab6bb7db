import {
  type AccessWriter,
  type Account,
  type AccountId,
  type Clock,
  type Environment,
  type Key,
  type KeyId,
  newId,
  PaymountError,
  SCOPES,
  type Scope,
} from '@paymount/core';
import { assertIssuerTag, hashCredential, mintKey, redact } from './key-format.ts';

interface KeyServicePorts {
  readonly keys: AccessWriter;
  readonly clock: Clock;
  /** 2-8 letters or digits that mark the keys of this installation. @defaultValue `pm` */
  readonly issuerTag?: string;
}

export interface NewAccount {
  /** 1-200 characters. */
  readonly name: string;
  readonly email?: string;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
  /** ISO 4217, lower case. */
  readonly defaultCurrency: string;
}

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

export interface KeyService {
  /** @throws `parameter_invalid` */
  createAccount(input: NewAccount): Promise<Account>;
  /**
   * @returns the key as stored, and the key itself, which is shown this once
   * @throws `parameter_invalid`, `resource_missing`, `key_limit_reached`
   */
  createKey(input: NewKey): Promise<{ readonly key: Key; readonly secret: string }>;
  /**
   * Final, and refused everywhere within 500 ms of the answer. Revoking twice changes nothing.
   * @throws `resource_missing`
   */
  revokeKey(id: KeyId, reason: NonNullable<Key['revokedReason']>): Promise<Key>;
}

/**
 * Accounts and their keys; each call is a transaction of its own.
 * @throws RangeError when the issuer tag is none
 */
export function createKeyService(ports: KeyServicePorts): KeyService {
  const { keys, clock, issuerTag } = ports;
  if (issuerTag !== undefined) assertIssuerTag(issuerTag);
  return {
    async createAccount(input) {
      const account = newAccount(input, clock.now());
      await keys.createAccount(account);
      return account;
    },

    async createKey(input) {
      const now = clock.now();
      checkNewKey(input, now);
      if ((await keys.findAccount(input.accountId)) === undefined) {
        throw new PaymountError('resource_missing', `No such account: ${input.accountId}.`);
      }
      const secret = mintKey(input.type, input.environment, issuerTag);
      const key = newKey(input, secret, now);
      await keys.createKey(key);
      return { key, secret };
    },

    async revokeKey(id, reason) {
      const key = await keys.revokeKey(id, reason, clock.now());
      if (key === undefined) throw new PaymountError('resource_missing', `No such key: ${id}.`);
      return key;
    },
  };
}

function newAccount(input: NewAccount, now: Date): Account {
  const name = checkedName(input.name, 200);
  if (!/^[A-Z]{2}$/.test(input.country)) {
    throw invalid('country', 'A country is two upper-case letters, such as DE.');
  }
  if (!/^[a-z]{3}$/.test(input.defaultCurrency)) {
    throw invalid('default_currency', 'A currency is three lower-case letters, such as eur.');
  }
  if (input.email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(input.email)) {
    throw invalid('email', 'This is no e-mail address.');
  }
  return {
    id: newId('acct'),
    name,
    email: input.email ?? null,
    country: input.country,
    defaultCurrency: input.defaultCurrency,
    status: 'active',
    created: now,
  };
}

function newKey(input: NewKey, secret: string, now: Date): Key {
  return {
    id: newId('key'),
    accountId: input.accountId,
    environment: input.environment,
    type: input.type,
    name: input.name.trim(),
    hash: hashCredential(secret),
    ...(input.type === 'publishable' ? { publicValue: secret } : {}),
    redacted: redact(secret),
    ...(input.type === 'restricted' ? { scopes: [...new Set(input.scopes)].sort() } : {}),
    status: 'active',
    ...(input.expiresAt === undefined ? {} : { expiresAt: input.expiresAt }),
    created: now,
    createdBy: input.createdBy,
  };
}

function checkNewKey(input: NewKey, now: Date): void {
  checkedName(input.name, 100);
  if (input.expiresAt !== undefined && !(input.expiresAt > now)) {
    throw invalid('expires_at', 'A key must expire later than now.');
  }
  if (input.type !== 'restricted') return;
  if (input.scopes.length === 0)
    throw invalid('scopes', 'A restricted key has at least one scope.');
  const unknown = input.scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined) {
    throw invalid('scopes', `There is no scope ${unknown}; the scopes are ${SCOPES.join(', ')}.`);
  }
}

function checkedName(name: string, max: number): string {
  const trimmed = name.trim();
  const length = [...trimmed].length;
  if (length < 1 || length > max) throw invalid('name', `A name has 1 to ${max} characters.`);
  return trimmed;
}

function invalid(param: string, message: string): PaymountError {
  return new PaymountError('parameter_invalid', message, { param });
}
