import type { EndpointSecretFacts, EndpointSecretReader } from '@paymount/core/events';
import {
  type AccountId,
  type EndpointId,
  type EndpointSecretId,
  environmentOf,
  livemode,
} from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import { signsAt } from './signs-at.ts';

interface SecretRow {
  readonly id: EndpointSecretId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly endpoint_id: EndpointId;
  readonly last4: string;
  readonly hash: Buffer;
  readonly created: Date;
  readonly expires_at: Date | null;
}

interface SealedRow extends Pick<SecretRow, 'id' | 'created' | 'expires_at'> {
  readonly sealed: string;
}

const signing = statement(
  'pm_endpoint_secrets_signing_v1',
  (s) => `SELECT id, sealed, created, expires_at FROM ${s}.endpoint_secrets k
    WHERE account_id = $1 AND livemode = $2 AND endpoint_id = $3
      AND ${signsAt('k', '$4::timestamptz')}
    ORDER BY created DESC, id DESC`,
);
const findByHashes = statement(
  'pm_endpoint_secrets_find_v1',
  (s) => `SELECT id, account_id, livemode, endpoint_id, last4, hash, created, expires_at
    FROM ${s}.endpoint_secrets WHERE hash = ANY ($1::bytea[]) ORDER BY id`,
);
const olderThan = statement(
  'pm_endpoint_secrets_older_v3',
  (s) => `SELECT e.id FROM ${s}.webhook_endpoints e
    WHERE e.account_id = $1 AND e.livemode = $2 AND e.status <> 'deleted' AND NOT EXISTS (
      SELECT FROM ${s}.endpoint_secrets k WHERE k.endpoint_id = e.id AND k.created >= $3)
      AND ($4::text IS NULL OR ((e.url_set_by ->> 'id') IS DISTINCT FROM $4
        AND (e.url_set_by ->> 'grant') IS DISTINCT FROM $4))
    ORDER BY e.id`,
);

const setBy = statement(
  'pm_endpoints_set_by_v1',
  (s) => `SELECT id FROM ${s}.webhook_endpoints e
    WHERE e.url_set_by ->> 'id' = $3 AND e.account_id = $1 AND e.livemode = $2
      AND e.status = 'enabled' ORDER BY id`,
);

/** Signing secrets; only `signing` returns what can be opened. */
export function endpointSecretReader(session: Session): EndpointSecretReader {
  return {
    async signing({ accountId, environment }, endpointId, at) {
      const values = [accountId, livemode(environment), endpointId, at];
      const { rows } = await session.query<SealedRow>(signing, values);
      return rows.map(({ expires_at: expiresAt, ...row }) => ({
        ...row,
        ...present({ expiresAt }),
      }));
    },
    async findByHashes(hashes) {
      const values = [hashes.map((hash) => Buffer.from(hash))];
      return (await session.query<SecretRow>(findByHashes, values)).rows.map(toFacts);
    },
    async endpointsSetBy({ accountId, environment }, setter) {
      const values = [accountId, livemode(environment), setter];
      return (await session.query<{ id: EndpointId }>(setBy, values)).rows.map(({ id }) => id);
    },
    async endpointsOlderThan({ accountId, environment }, before, except) {
      const values = [accountId, livemode(environment), before, except ?? null];
      return (await session.query<{ id: EndpointId }>(olderThan, values)).rows.map(({ id }) => id);
    },
  };
}

function toFacts(row: SecretRow): EndpointSecretFacts {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    endpointId: row.endpoint_id,
    last4: row.last4,
    hash: row.hash,
    created: row.created,
    ...present({ expiresAt: row.expires_at }),
  };
}
