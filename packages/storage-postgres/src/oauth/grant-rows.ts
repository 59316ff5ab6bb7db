import { type AccountId, environmentOf, livemode } from '@paymount/core/kernel';
import type {
  Grant,
  GrantDirectory,
  GrantId,
  GrantRepository,
  PlatformId,
} from '@paymount/core/oauth';
import type { Knex } from 'knex';
import { type Statement, statement } from '../connection/statement.ts';
import { readPage, whereEqual, whereFiltered, whereInAdminScope } from '../shared/list-page.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

/** A row of `grants`. */
export interface GrantRow {
  readonly id: GrantId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly platform_id: PlatformId;
  readonly version: number;
  readonly scopes: Grant['scopes'];
  readonly status: Grant['status'];
  readonly revoked_at: Date | null;
  readonly revoked_reason: NonNullable<Grant['revokedReason']> | null;
  readonly approved_by: string;
  readonly created: Date;
}

const COLUMNS = [
  'id',
  'account_id',
  'livemode',
  'platform_id',
  'version',
  'scopes',
  'status',
  'revoked_at',
  'revoked_reason',
  'approved_by',
  'created',
] as const;
/** The columns of `GrantRow`. */
export const GRANT_LIST = COLUMNS.join(', ');

const find = statement(
  'pm_grants_find_v1',
  (s) => `SELECT ${GRANT_LIST} FROM ${s}.grants WHERE id = $1`,
);
const findForUpdate = statement(
  'pm_grants_find_lock_v1',
  (s) => `SELECT ${GRANT_LIST} FROM ${s}.grants WHERE id = $1 FOR NO KEY UPDATE`,
);
const findOpen = statement(
  'pm_grants_find_open_v1',
  (s) => `SELECT ${GRANT_LIST} FROM ${s}.grants
    WHERE account_id = $1 AND livemode = $2 AND platform_id = $3 AND status <> 'revoked'
    ORDER BY id FOR NO KEY UPDATE`,
);
const insert = statement(
  'pm_grants_insert_v1',
  (s) => `INSERT INTO ${s}.grants (${GRANT_LIST})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);
const update = statement(
  'pm_grants_update_v1',
  (s) => `UPDATE ${s}.grants SET version = $2, scopes = $3, status = $4, revoked_at = $5,
      revoked_reason = $6 WHERE id = $1`,
);

/** Grants for admins. */
export function grantDirectory(session: Session): GrantDirectory {
  return {
    find: (id) => findGrant(session, id),
    async list(scope, filter, page) {
      const listed = {
        table: 'grants',
        columns: COLUMNS,
        within: (query: Knex.QueryBuilder) => whereInAdminScope(query, scope),
        narrow: (query: Knex.QueryBuilder) => {
          whereFiltered(query, filter);
          whereEqual(query, 'platform_id', filter.platform);
        },
      };
      return readPage(session, listed, page, toGrant);
    },
  };
}

/** Grants within a change of access. */
export function grantRepository(session: Session): GrantRepository {
  return {
    findForUpdate: (id) => findOne(session, findForUpdate, id),
    async findOpenForUpdate({ accountId, environment }, platformId) {
      const values = [accountId, livemode(environment), platformId];
      return (await session.query<GrantRow>(findOpen, values)).rows.map(toGrant);
    },
    async insert(grant) {
      await session.query(insert, [
        grant.id,
        grant.accountId,
        livemode(grant.environment),
        grant.platformId,
        grant.version,
        grant.scopes,
        grant.status,
        grant.revokedAt ?? null,
        grant.revokedReason ?? null,
        grant.approvedBy,
        grant.created,
      ]);
    },
    async update({ id, version, scopes, status, revokedAt, revokedReason }) {
      const values = [id, version, scopes, status, revokedAt ?? null, revokedReason ?? null];
      await session.query(update, values);
    },
  };
}

/** The grant of an id, without a lock. */
export function findGrant(session: Session, id: GrantId): Promise<Grant | undefined> {
  return findOne(session, find, id);
}

async function findOne(session: Session, by: Statement, id: GrantId): Promise<Grant | undefined> {
  const [row] = (await session.query<GrantRow>(by, [id])).rows;
  return row && toGrant(row);
}

/** A grant of its row. */
export function toGrant(row: GrantRow): Grant {
  return {
    id: row.id,
    version: row.version,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    platformId: row.platform_id,
    scopes: row.scopes,
    status: row.status,
    approvedBy: row.approved_by,
    created: row.created,
    ...present({ revokedAt: row.revoked_at, revokedReason: row.revoked_reason }),
  };
}
