import type {
  IdempotencyRecord,
  IdempotencyRepository,
  StoredResponse,
} from '@paymount/core/changes';
import type { IdempotencyClaim, OperationId, RequestId } from '@paymount/core/kernel';
import { livemode } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import { UNRESOLVED } from '../operations/operation-rows.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';

interface KeyRow {
  readonly fingerprint: string;
  readonly request_id: RequestId;
  readonly operation_id: OperationId | null;
  readonly locked_until: Date | null;
  readonly status: number | null;
  readonly body: string | null;
  readonly kid: string | null;
  readonly credential: string | null;
}

const BY_KEY = 'account_id = $1 AND livemode = $2 AND key = $3';

const find = statement(
  'pm_idempotency_find_v2',
  (s) => `SELECT fingerprint, request_id, operation_id, locked_until, status, body, kid, credential
    FROM ${s}.idempotency_keys WHERE ${BY_KEY}`,
);
const record = statement(
  'pm_idempotency_record_v3',
  (s) => `INSERT INTO ${s}.idempotency_keys
      (account_id, livemode, key, fingerprint, request_id, created, status, body, kid, credential)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING key`,
);
const takeOver = statement(
  'pm_idempotency_take_over_v2',
  (s) => `UPDATE ${s}.idempotency_keys SET locked_until = $6, request_id = $5
    WHERE ${BY_KEY} AND fingerprint = $4 AND locked_until = $7 RETURNING key`,
);
const amend = statement(
  'pm_idempotency_amend_v2',
  (s) => `UPDATE ${s}.idempotency_keys SET body = $5
    WHERE ${BY_KEY} AND body = $4 AND kid IS NULL RETURNING key`,
);
const forget = statement(
  'pm_idempotency_forget_v1',
  (s) => `DELETE FROM ${s}.idempotency_keys WHERE ${BY_KEY} AND request_id = $4`,
);
/**
 * It reads only the rows that it deletes, in order of age, and old keys with an unresolved
 * operation. It looks up each of those separately, because the plan of a join would not be
 * reliable.
 */
const purge = statement(
  'pm_idempotency_purge_v2',
  (s) => `DELETE FROM ${s}.idempotency_keys WHERE ctid = ANY (ARRAY(
      SELECT k.ctid FROM ${s}.idempotency_keys k
      WHERE k.created < $1 AND COALESCE((SELECT NOT ${UNRESOLVED} FROM ${s}.operations o
        WHERE (o.account_id, o.livemode, o.id) = (k.account_id, k.livemode, k.operation_id)), true)
      ORDER BY k.created LIMIT $2 FOR UPDATE SKIP LOCKED))`,
);

/** Idempotency keys on PostgreSQL. */
export function idempotencyRows(session: Session): IdempotencyRepository {
  return {
    async find(owner, key) {
      const values = [owner.accountId, livemode(owner.environment), key];
      const [row] = (await session.query<KeyRow>(find, values)).rows;
      return row && toRecord(row);
    },
    async record(claim, response) {
      const { created, credential } = claim;
      const values = [...claimValues(claim), created, ...responseValues(response), credential];
      return (await session.query(record, values)).rows.length === 1;
    },
    async takeOver(claim, seenLockedUntil) {
      const values = [...claimValues(claim), claim.lockedUntil, seenLockedUntil];
      return (await session.query(takeOver, values)).rows.length === 1;
    },
    async amend(owner, key, { seen, next }) {
      const values = [owner.accountId, livemode(owner.environment), key, seen, next];
      return (await session.query(amend, values)).rows.length === 1;
    },
    async forget({ accountId, environment, key, requestId }) {
      await session.query(forget, [accountId, livemode(environment), key, requestId]);
    },
    async purge(before, limit) {
      // The server enforces the limits of our transaction, even if we have given up.
      const purged = await inTransaction(session, (inner) => inner.query(purge, [before, limit]));
      return purged.rowCount ?? 0;
    },
  };
}

/** In this order: account, environment, key, fingerprint, request id. */
function claimValues(claim: IdempotencyClaim): readonly unknown[] {
  const { accountId, environment, key, fingerprint, requestId } = claim;
  return [accountId, livemode(environment), key, fingerprint, requestId];
}

function responseValues(response: StoredResponse): readonly unknown[] {
  return [response.status, response.body, response.kid ?? null];
}

/** The table's CHECKs allow only rows that are completely running or completely done. */
function toRecord(row: KeyRow): IdempotencyRecord {
  const base = {
    fingerprint: row.fingerprint,
    requestId: row.request_id,
    ...present({ credential: row.credential }),
  };
  if (row.status === null) {
    return {
      ...base,
      state: 'running',
      lockedUntil: row.locked_until as Date,
      ...present({ operationId: row.operation_id }),
    };
  }
  const response = {
    status: row.status,
    body: row.body as string,
    ...present({ kid: row.kid }),
  };
  return { ...base, state: 'done', response };
}
