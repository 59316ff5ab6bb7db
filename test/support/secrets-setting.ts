import { randomBytes } from 'node:crypto';
import { KeyRing, type RingKey, SecretBox } from '@paymount/auth';
import { secretContext } from '@paymount/core/events';
import { newId } from '@paymount/core/kernel';
import { query } from './database.ts';

/** A sealing key of one run. */
export function sealingKey(kid: string): RingKey & { readonly key: string } {
  return { kid, key: randomBytes(32).toString('base64') };
}

/** The settings of the operators' commands. */
export function buildSettings(
  databaseUrl: string,
  ring: readonly { readonly kid: string; readonly key: string }[],
): Record<string, string> {
  const keys = ring.map(({ kid, key }) => `${kid}:${key}`).join(',');
  return { DATABASE_URL: databaseUrl, PAYMOUNT_KEYS: keys };
}

/**
 * Stores one endpoint with many signing secrets of before, as years of rotation leave them.
 * @returns the id of the endpoint's account
 */
export async function storeSecrets(url: string, key: RingKey, count: number): Promise<string> {
  const box = new SecretBox(new KeyRing([key]));
  const [account, endpoint] = [newId('acct'), newId('we')];
  const ids = Array.from({ length: count }, () => newId('whs'));
  const sealed = await Promise.all(
    ids.map(async (id) => (await box.seal(`whsec_${id}`, secretContext(id))).sealed),
  );
  await query(
    url,
    `INSERT INTO paymount.accounts (id, name, country, default_currency, status, version, created)
     VALUES ($1, 'Shop', 'DE', 'eur', 'active', 1, now())`,
    [account],
  );
  await query(
    url,
    `INSERT INTO paymount.webhook_endpoints (id, account_id, livemode, version, url, enabled_events,
       metadata, api_version, status, secret_version, created)
     VALUES ($1, $2, false, 1, 'https://hooks.example.com/', '{*}', '{}', '2026-11-01', 'enabled', 1, now())`,
    [endpoint, account],
  );
  await query(
    url,
    `INSERT INTO paymount.endpoint_secrets (id, account_id, livemode, endpoint_id, sealed, kid,
       last4, hash, created, expires_at)
     SELECT s.id, $1, false, $2, s.sealed, $3, '0000', sha256(s.id::bytea), now(), now()
     FROM unnest($4::text[], $5::text[]) AS s (id, sealed)`,
    [account, endpoint, key.kid, ids, sealed],
  );
  return account;
}

/** How many signing secrets each key has sealed. */
export async function secretsByKey(url: string): Promise<Record<string, number>> {
  const rows = await query<{ kid: string; count: number }>(
    url,
    'SELECT kid, count(*)::integer AS count FROM paymount.endpoint_secrets GROUP BY kid ORDER BY kid',
  );
  return Object.fromEntries(rows.map(({ kid, count }) => [kid, count]));
}
