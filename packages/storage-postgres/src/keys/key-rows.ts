import type { Key, KeyDirectory, KeyRepository } from '@paymount/core/access';
import { type AccountId, environmentOf, type KeyId, livemode } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { readPage, whereEqual, whereFiltered, whereInAdminScope } from '../shared/list-page.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

export interface KeyRow {
  readonly id: KeyId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly type: Key['type'];
  readonly name: string;
  readonly hash: Buffer;
  readonly public_value: string | null;
  readonly redacted: string;
  readonly created: Date;
  readonly created_by: string;
  readonly replaces: KeyId | null;
  readonly version: number;
  readonly scopes: NonNullable<Key['scopes']> | null;
  readonly allowed_ips: readonly string[] | null;
  readonly status: Key['status'];
  readonly revoked_at: Date | null;
  readonly revoked_reason: NonNullable<Key['revokedReason']> | null;
  readonly expires_at: Date | null;
  readonly ended_at: Date | null;
  readonly replaced_by: KeyId | null;
  readonly replaced_at: Date | null;
}

interface KeyColumn {
  readonly name: keyof KeyRow;
  readonly of: (key: Key) => unknown;
  /** The SQL that selects it, if that is not its name. */
  readonly read?: string;
  /** The value can be updated. */
  readonly changes?: true;
}

const changing = (name: keyof KeyRow, of: KeyColumn['of']): KeyColumn => ({
  name,
  of,
  changes: true,
});

const KEY_COLUMNS: readonly KeyColumn[] = [
  { name: 'id', of: (key) => key.id },
  { name: 'account_id', of: (key) => key.accountId },
  { name: 'livemode', of: (key) => livemode(key.environment) },
  { name: 'type', of: (key) => key.type },
  { name: 'hash', of: (key) => Buffer.from(key.hash) },
  { name: 'public_value', of: (key) => key.publicValue ?? null },
  { name: 'redacted', of: (key) => key.redacted },
  { name: 'created', of: (key) => key.created },
  { name: 'created_by', of: (key) => key.createdBy },
  { name: 'replaces', of: (key) => key.replaces ?? null },
  changing('version', (key) => key.version),
  changing('name', (key) => key.name),
  changing('scopes', (key) => key.scopes ?? null),
  { ...changing('allowed_ips', (key) => key.allowedIps ?? null), read: 'allowed_ips::text[]' },
  changing('status', (key) => key.status),
  changing('revoked_at', (key) => key.revokedAt ?? null),
  changing('revoked_reason', (key) => key.revokedReason ?? null),
  changing('expires_at', (key) => key.expiresAt ?? null),
  changing('ended_at', (key) => key.endedAt ?? null),
  changing('replaced_by', (key) => key.replacedBy ?? null),
  changing('replaced_at', (key) => key.replacedAt ?? null),
];
const CHANGING = KEY_COLUMNS.filter(({ changes }) => changes === true);
const SELECTED = KEY_COLUMNS.map(({ read, name }) => read ?? name);
const LIST = SELECTED.join(', ');

const find = statement('pm_keys_find_v1', (s) => `SELECT ${LIST} FROM ${s}.api_keys WHERE id = $1`);
const findMany = statement(
  'pm_keys_find_many_v1',
  (s) => `SELECT ${LIST} FROM ${s}.api_keys
    WHERE account_id = $1 AND livemode = $2 AND id = ANY ($3::text[])`,
);
const findForUpdate = statement(
  'pm_keys_find_lock_v1',
  (s) => `SELECT ${LIST} FROM ${s}.api_keys WHERE id = $1 FOR NO KEY UPDATE`,
);
const findByHashes = statement(
  'pm_keys_find_hashes_v1',
  (s) => `SELECT ${LIST} FROM ${s}.api_keys WHERE hash = ANY ($1::bytea[])
    ORDER BY id FOR NO KEY UPDATE`,
);
const countActive = statement(
  'pm_keys_count_v1',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.api_keys
    WHERE account_id = $1 AND livemode = $2 AND status = 'active'
      AND ended_at IS NULL AND (expires_at IS NULL OR expires_at > $3)`,
);
const insert = statement(
  'pm_keys_insert_v1',
  (s) => `INSERT INTO ${s}.api_keys (${KEY_COLUMNS.map(({ name }) => name).join(', ')})
    VALUES (${KEY_COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})`,
);
const update = statement(
  'pm_keys_update_v1',
  (s) => `UPDATE ${s}.api_keys
    SET ${CHANGING.map(({ name }, index) => `${name} = $${index + 2}`).join(', ')} WHERE id = $1`,
);

/** Lists of keys, for admins and for the account that owns them. */
export function keyDirectory(session: Session): KeyDirectory {
  return {
    find: (id) => findOne(session, find, id),
    async findMany({ accountId, environment }, ids) {
      const values = [accountId, livemode(environment), ids];
      return (await session.query<KeyRow>(findMany, values)).rows.map(toKey);
    },
    async list(scope, filter, page) {
      const listed = {
        table: 'api_keys',
        columns: SELECTED,
        within: (query: Knex.QueryBuilder) => whereInAdminScope(query, scope),
        narrow: (query: Knex.QueryBuilder) => {
          whereFiltered(query, filter);
          whereEqual(query, 'type', filter.type);
        },
      };
      return readPage(session, listed, page, toKey);
    },
  };
}

/** Keys within a change of access. */
export function keyRepository(session: Session): KeyRepository {
  return {
    findForUpdate: (id) => findOne(session, findForUpdate, id),
    async findByHashesForUpdate(hashes) {
      const values = [hashes.map((hash) => Buffer.from(hash))];
      return (await session.query<KeyRow>(findByHashes, values)).rows.map(toKey);
    },
    async insert(key) {
      await session.query(
        insert,
        KEY_COLUMNS.map(({ of }) => of(key)),
      );
    },
    async update(key) {
      await session.query(update, [key.id, ...CHANGING.map(({ of }) => of(key))]);
    },
    async countActive({ accountId, environment }, now) {
      const values = [accountId, livemode(environment), now];
      return (await session.query<{ count: number }>(countActive, values)).rows[0]?.count ?? 0;
    },
  };
}

async function findOne(session: Session, by: typeof find, id: KeyId): Promise<Key | undefined> {
  const [row] = (await session.query<KeyRow>(by, [id])).rows;
  return row && toKey(row);
}

function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    version: row.version,
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
      allowedIps: row.allowed_ips,
      revokedAt: row.revoked_at,
      revokedReason: row.revoked_reason,
      expiresAt: row.expires_at,
      endedAt: row.ended_at,
      replaces: row.replaces,
      replacedBy: row.replaced_by,
      replacedAt: row.replaced_at,
    }),
  };
}
