import {
  type AccessWriter,
  type AccountId,
  type Credential,
  environmentOf,
  type Key,
  type KeyId,
  livemode,
  PaymountError,
} from '@paymount/core';
import { accountRows, insertAccount } from '../accounts/account-rows.ts';
import type { Session } from '../session.ts';
import { present } from '../shared/present-rows.ts';
import { statement } from '../shared/statement.ts';
import { inTransaction } from '../transaction.ts';

const MAX_ACTIVE_KEYS = 100;

interface KeyRow {
  readonly id: KeyId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly type: Key['type'];
  readonly name: string;
  readonly hash: Buffer;
  readonly public_value: string | null;
  readonly redacted: string;
  readonly scopes: NonNullable<Key['scopes']> | null;
  readonly status: Key['status'];
  readonly revoked_at: Date | null;
  readonly revoked_reason: NonNullable<Key['revokedReason']> | null;
  readonly expires_at: Date | null;
  readonly created: Date;
  readonly created_by: string;
}

export interface CredentialRow extends KeyRow {
  readonly account_status: Credential['accountStatus'];
}

export const KEY_COLUMNS = [
  'id',
  'account_id',
  'livemode',
  'type',
  'name',
  'hash',
  'public_value',
  'redacted',
  'scopes',
  'status',
  'revoked_at',
  'revoked_reason',
  'expires_at',
  'created',
  'created_by',
] as const;
const COLUMNS = KEY_COLUMNS.join(', ');

const lockAccount = statement(
  'pm_keys_lock_account_v1',
  (s) => `SELECT id FROM ${s}.accounts WHERE id = $1 FOR NO KEY UPDATE`,
);
const countActive = statement(
  'pm_keys_count_v1',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.api_keys
    WHERE account_id = $1 AND livemode = $2 AND status = 'active'`,
);
const insert = statement(
  'pm_keys_insert_v1',
  (s) => `INSERT INTO ${s}.api_keys (${COLUMNS})
    VALUES (${KEY_COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})`,
);
const revoke = statement(
  'pm_keys_revoke_v1',
  (s) => `UPDATE ${s}.api_keys SET status = 'revoked', revoked_at = $2, revoked_reason = $3
    WHERE id = $1 AND status = 'active' RETURNING ${COLUMNS}`,
);
const find = statement(
  'pm_keys_find_v1',
  (s) => `SELECT ${COLUMNS} FROM ${s}.api_keys WHERE id = $1`,
);
const list = statement(
  'pm_keys_list_v1',
  (s) => `SELECT ${COLUMNS} FROM ${s}.api_keys WHERE account_id = $1 ORDER BY id DESC`,
);
const advance = statement(
  'pm_epoch_advance_v1',
  // The epoch row is locked until the commit, so that generations are in order of commits.
  (s) => `WITH epoch AS (
      UPDATE ${s}.auth_epoch SET gen = gen + 1, mark = gen_random_uuid() WHERE id = 1
      RETURNING gen, mark),
    change AS (
      INSERT INTO ${s}.auth_change (gen, mark, subjects) SELECT gen, mark, $1::text[] FROM epoch),
    old AS (
      DELETE FROM ${s}.auth_change c USING epoch
      WHERE c.gen < epoch.gen AND c.created < now() - interval '1 hour')
    SELECT pg_notify('paymount_auth', $2) FROM epoch`,
);

/** Changes of access, each in one transaction that ends with the generation counter. */
export function accessRows(session: Session): AccessWriter {
  return {
    createAccount(account) {
      return inTransaction(session, async (inner) => {
        await insertAccount(inner, account);
        await advanceEpoch(inner, [account.id]);
      });
    },
    findAccount: (id) => accountRows(session).find(id),
    createKey(key) {
      return inTransaction(session, async (inner) => {
        await assertRoom(inner, key);
        await inner.query(insert, keyValues(key));
        await advanceEpoch(inner, [key.id]);
      });
    },
    revokeKey(id, reason, now) {
      return inTransaction(session, async (inner) => {
        const [revoked] = (await inner.query<KeyRow>(revoke, [id, now, reason])).rows;
        if (revoked) await advanceEpoch(inner, [id]);
        const [row] = revoked ? [revoked] : (await inner.query<KeyRow>(find, [id])).rows;
        return row && toKey(row);
      });
    },
    async listKeys(accountId) {
      return (await session.query<KeyRow>(list, [accountId])).rows.map(toKey);
    },
  };
}

/** The account's row lock makes two callers at the limit see each other's keys. */
async function assertRoom(session: Session, { accountId, environment }: Key): Promise<void> {
  await session.query(lockAccount, [accountId]);
  const values = [accountId, livemode(environment)];
  const active = (await session.query<{ count: number }>(countActive, values)).rows[0]?.count ?? 0;
  if (active >= MAX_ACTIVE_KEYS) throw new PaymountError('key_limit_reached');
}

async function advanceEpoch(session: Session, subjects: readonly string[]): Promise<void> {
  await session.query(advance, [subjects, session.statements.schema]);
}

function keyValues(key: Key): unknown[] {
  return [
    key.id,
    key.accountId,
    livemode(key.environment),
    key.type,
    key.name,
    Buffer.from(key.hash),
    key.publicValue ?? null,
    key.redacted,
    key.scopes ?? null,
    key.status,
    key.revokedAt ?? null,
    key.revokedReason ?? null,
    key.expiresAt ?? null,
    key.created,
    key.createdBy,
  ];
}

/** The key of a row. */
export function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    type: row.type,
    name: row.name,
    hash: row.hash,
    redacted: row.redacted,
    status: row.status,
    created: row.created,
    createdBy: row.created_by,
    ...present({
      publicValue: row.public_value,
      scopes: row.scopes,
      revokedAt: row.revoked_at,
      revokedReason: row.revoked_reason,
      expiresAt: row.expires_at,
    }),
  };
}
