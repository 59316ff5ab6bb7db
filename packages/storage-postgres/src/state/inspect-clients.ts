import type { Finding } from '@paymount/core/store';
import type { Session } from '../transaction/session.ts';

const SUBJECT = 'clients';
/** Keys of so many merchants that are all used from one machine look like a proxy. */
const MIN_ACCOUNTS = 2;
/** More keys would tell nothing more. */
const MAX_KEYS = 10_000;

interface AddressRow {
  readonly accounts: number;
  readonly addresses: number;
  readonly address: string | null;
  /** Of this machine or a private network (RFC 1918, 4193, 4291). */
  readonly is_private: boolean | null;
}

/** The day before the last use: no time of this machine is needed. */
const ADDRESSES = (s: string): string => `WITH seen AS (
  SELECT k.account_id, u.last_ip FROM ${s}.key_usage u JOIN ${s}.api_keys k ON k.id = u.key_id
  WHERE u.last_ip IS NOT NULL AND u.last_used_at > (SELECT max(last_used_at) FROM ${s}.key_usage) - interval '1 day' LIMIT ${MAX_KEYS})
SELECT count(DISTINCT account_id)::integer AS accounts, count(DISTINCT last_ip)::integer AS addresses,
  host(min(last_ip)) AS address,
  min(last_ip) <<= ANY ('{127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,::1/128,fc00::/7,fe80::/10}'::inet[])
    AS is_private
FROM seen`;

/**
 * Whether the keys of several merchants were all used from one private address, as behind a proxy
 * that `trustedProxies` does not name: then limits and shares by address count all clients as one.
 */
export async function inspectClients(session: Session): Promise<readonly Finding[]> {
  const { rows } = await session.plain<AddressRow>(ADDRESSES(session.statements.schema));
  const [seen] = rows;
  if (seen === undefined || seen.accounts < MIN_ACCOUNTS) return [];
  const { accounts, addresses, address } = seen;
  if (addresses > 1 || seen.is_private !== true) {
    const message = `In a day keys were used from ${addresses === 1 ? 'one public address' : `${addresses} addresses`}.`;
    return [{ subject: SUBJECT, verdict: 'ok', message }];
  }
  return [
    {
      subject: SUBJECT,
      verdict: 'warning',
      message: `In a day the keys of ${accounts} accounts were all used from ${address}. If that is a proxy, name it in \`trustedProxies\`: until then limits by address count all clients as one, and one of them can keep the others away.`,
    },
  ];
}
