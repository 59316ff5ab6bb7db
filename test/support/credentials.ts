import { randomBytes } from 'node:crypto';
import { mintKey } from '@paymount/core/access';
import { type AccountId, SCOPES, type Scope } from '@paymount/core/kernel';
import type { Paymount } from 'paymount';
import { checkCharacters } from './check-characters.ts';

/** A credential to be presented, and what it is. */
export interface Presented {
  readonly what: string;
  readonly secret: string;
}

const TYPES = ['secret', 'restricted', 'publishable'] as const;
export type KeyType = (typeof TYPES)[number];

interface KeyFacts {
  readonly environment?: 'live' | 'test';
  readonly type?: KeyType;
  /** Of a restricted key. @defaultValue all of them */
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: Date;
}

/** Makes a key of an account. @returns its id and the key itself */
export async function makeKey(
  paymount: Paymount,
  account: string,
  { environment = 'test', type = 'secret', scopes = SCOPES, expiresAt }: KeyFacts = {},
): Promise<{ readonly id: string; readonly secret: string }> {
  const facts = {
    account,
    livemode: environment === 'live',
    name: `${type} key`,
    ...(expiresAt && { expires_at: expiresAt.toISOString() }),
  };
  const { id, secret } = await paymount.keys.create(
    type === 'restricted' ? { ...facts, type, scopes } : { ...facts, type },
  );
  return { id, secret };
}

/** One key of each type. */
export async function oneOfEach(
  paymount: Paymount,
  account: string,
  facts: Omit<KeyFacts, 'type'> = {},
): Promise<readonly (Presented & { readonly id: string })[]> {
  return Promise.all(
    TYPES.map(async (type) => ({
      what: `${type} key`,
      ...(await makeKey(paymount, account, { ...facts, type })),
    })),
  );
}

/** Makes another account. */
export async function makeAccount(paymount: Paymount, name: string): Promise<AccountId> {
  return (await paymount.accounts.create({ name, country: 'DE', default_currency: 'eur' }))
    .id as AccountId;
}

/** Well-formed keys that no installation knows. */
export function unknownKeys(): readonly Presented[] {
  return TYPES.flatMap((type) =>
    (['live', 'test'] as const).map((environment) => ({
      what: `unknown ${type} key of ${environment}`,
      secret: mintKey(type, environment),
    })),
  );
}

/** Well-formed credentials of OAuth: access and refresh token, code, client secret. */
export function oauthCredentials(): readonly Presented[] {
  return ['oat', 'ort', 'oac', 'ocs'].map((prefix) => {
    const random = randomBytes(64).toString('base64').replace(/\W/g, '').slice(0, 32);
    const text = `${prefix}_pm${random.padEnd(32, 'x')}`;
    return { what: `credential ${prefix}_`, secret: text + checkCharacters(text) };
  });
}

/** Texts that are no key, some of them made from one. */
export function malformedCredentials(key: string): readonly Presented[] {
  const last = key.slice(-1);
  return Object.entries({
    'key without its last character': key.slice(0, -1),
    'key with one character more': `${key}0`,
    'key with another last character': key.slice(0, -1) + (last === 'a' ? 'b' : 'a'),
    'key with two characters swapped': swapped(key),
    'key in capitals': key.toUpperCase(),
    'key of the other environment by its prefix alone': key.replace('_test_', '_live_'),
    'secret key by its prefix alone': key.replace(/^../, 'rk'),
    'prefix alone': 'sk_test_',
    'id of a key': 'key_00000000000000000000000000',
    'signing secret': `whsec_${randomBytes(32).toString('base64')}`,
    'JSON Web Token': `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`,
    'text of 129 characters': 'x'.repeat(129),
    'word undefined': 'undefined',
  }).map(([what, secret]) => ({ what, secret }));
}

/** Swaps the first two neighbours of the body that differ. */
function swapped(key: string): string {
  for (let at = 8; at < key.length - 1; at += 1) {
    const [one, other] = [key.charAt(at), key.charAt(at + 1)];
    if (one !== other) return key.slice(0, at) + other + one + key.slice(at + 2);
  }
  return key;
}
