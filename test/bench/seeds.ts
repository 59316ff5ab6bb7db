import { createHash } from 'node:crypto';
import { KeyRing, type RingKey, SecretBox } from '@paymount/auth';
import { mintKey } from '@paymount/core/access';
import { secretContext } from '@paymount/core/events';
import { createSigningSecret } from 'paymount-receiver/internal';
import type { BenchDatabase } from './database.ts';

type Seeded = Pick<BenchDatabase, 'query'>;

/**
 * Accounts are numbered, because pgbench can compute numbers and no text: account n is
 * `FIRST_ACCOUNT + n`, and its one endpoint `FIRST_ENDPOINT + n`. They are as long as our ids, nearly.
 */
export const FIRST_ACCOUNT = 1_000_000_000_000_000_000n;
export const FIRST_ENDPOINT = 2_000_000_000_000_000_000n;

/** The currency that every charge is made in. */
export const CURRENCY = 'eur';

/** Creates accounts in test mode. */
export async function seedAccounts(database: Seeded, count: number): Promise<void> {
  await database.query(
    `INSERT INTO paymount.accounts (id, name, country, default_currency, status, version, created)
     SELECT ($1::bigint + n)::text, 'Account ' || n, 'DE', $2, 'active', 1, now()
     FROM generate_series(0, $3::integer - 1) AS n`,
    [FIRST_ACCOUNT, CURRENCY, count],
  );
}

/** What seals the signing secrets of the benchmarks. */
export const SEALING_KEYS: readonly RingKey[] = [{ kid: 'bench', key: new Uint8Array(32) }];

/** Gives each account one endpoint for every event, with a sealed secret. */
export async function seedEndpoints(database: Seeded, count: number): Promise<void> {
  await database.query(
    `INSERT INTO paymount.webhook_endpoints (id, account_id, livemode, version, url,
       enabled_events, metadata, api_version, status, secret_version, created)
     SELECT ($1::bigint + n)::text, ($2::bigint + n)::text, false, 1, 'https://hooks.example.com/' || n,
       '{*}', '{}', '2026-11-01', 'enabled', 1, now() FROM generate_series(0, $3::integer - 1) AS n`,
    [FIRST_ENDPOINT, FIRST_ACCOUNT, count],
  );
  const box = new SecretBox(new KeyRing(SEALING_KEYS));
  const sealed: string[] = [];
  const hashes: Buffer[] = [];
  for (let index = 0; index < count; index += 1) {
    const secret = createSigningSecret();
    sealed.push((await box.seal(secret, secretContext(`secret_${index}`))).sealed);
    hashes.push(createHash('sha256').update(secret).digest());
  }
  await database.query(
    `INSERT INTO paymount.endpoint_secrets
       (id, account_id, livemode, endpoint_id, sealed, kid, last4, hash, created)
     SELECT 'secret_' || n - 1, ($1::bigint + n - 1)::text, false, ($2::bigint + n - 1)::text, sealed,
       'bench', 'abcd', hash, now()
     FROM unnest($3::text[], $4::bytea[]) WITH ORDINALITY AS s (sealed, hash, n)`,
    [FIRST_ACCOUNT, FIRST_ENDPOINT, sealed, hashes],
  );
}

/**
 * Creates secret keys for test mode, spread over the accounts in turn.
 * @returns the keys themselves
 */
export async function seedKeys(
  database: Seeded,
  accounts: number,
  count: number,
): Promise<readonly string[]> {
  const keys = Array.from({ length: count }, () => mintKey('secret', 'test'));
  await database.query(
    `INSERT INTO paymount.api_keys
       (id, account_id, livemode, type, name, hash, redacted, status, version, created, created_by)
     SELECT 'key_' || n, ($1::bigint + (n - 1) % $2::bigint)::text, false, 'secret', 'bench', hash,
       'sk_test_pm...', 'active', 1, now(), 'bench'
     FROM unnest($3::bytea[]) WITH ORDINALITY AS k (hash, n)`,
    [FIRST_ACCOUNT, accounts, keys.map((key) => createHash('sha256').update(key).digest())],
  );
  return keys;
}
