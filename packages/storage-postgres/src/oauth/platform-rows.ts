import { environmentOf, livemode } from '@paymount/core/kernel';
import type {
  ClientSecret,
  ClientSecretId,
  Platform,
  PlatformDirectory,
  PlatformId,
  PlatformRepository,
} from '@paymount/core/oauth';
import type { Knex } from 'knex';
import { type Statement, statement } from '../connection/statement.ts';
import { readPage, whereFiltered } from '../shared/list-page.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

interface PlatformRow {
  readonly id: PlatformId;
  readonly version: number;
  readonly livemode: boolean;
  readonly type: Platform['type'];
  readonly name: string;
  readonly redirect_uris: readonly string[];
  readonly callback_origins: readonly string[];
  readonly scopes: Platform['scopes'];
  readonly require_pkce: boolean;
  readonly contact_email: string;
  readonly status: Platform['status'];
  readonly disabled_at: Date | null;
  readonly created: Date;
  readonly created_by: string;
  readonly secrets: readonly {
    readonly id: ClientSecretId;
    readonly redacted: string;
    readonly created: string;
    readonly created_by: string;
  }[];
}

interface SecretRow {
  readonly id: ClientSecretId;
  readonly platform_id: PlatformId;
  readonly status: 'active' | 'revoked';
}

const COLUMNS = [
  'id',
  'version',
  'name',
  'redirect_uris',
  'callback_origins',
  'scopes',
  'require_pkce',
  'contact_email',
  'status',
  'disabled_at',
  'livemode',
  'type',
  'created',
  'created_by',
] as const;

/** The secrets that work, newest first, of a row `t`. */
const secretsOf = (s: string): string => `(SELECT COALESCE(jsonb_agg(jsonb_build_object('id', c.id,
    'redacted', c.redacted, 'created', c.created, 'created_by', c.created_by)
    ORDER BY c.id DESC), '[]')
  FROM ${s}.client_secrets c WHERE c.platform_id = t.id AND c.status = 'active') AS secrets`;
const select = (s: string): string =>
  `SELECT ${COLUMNS.join(', ')}, ${secretsOf(s)} FROM ${s}.platforms t`;

const find = statement('pm_platforms_find_v1', (s) => `${select(s)} WHERE id = $1`);
const lock = statement(
  'pm_platforms_lock_v1',
  (s) => `SELECT FROM ${s}.platforms WHERE id = $1 FOR NO KEY UPDATE`,
);
const insert = statement(
  'pm_platforms_insert_v1',
  (s) => `INSERT INTO ${s}.platforms (${COLUMNS.join(', ')})
    VALUES (${COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})`,
);
const update = statement(
  'pm_platforms_update_v1',
  (s) => `UPDATE ${s}.platforms SET version = $2, name = $3, redirect_uris = $4,
      callback_origins = $5, scopes = $6, require_pkce = $7, contact_email = $8, status = $9,
      disabled_at = $10 WHERE id = $1`,
);
const insertSecret = statement(
  'pm_client_secrets_insert_v1',
  (
    s,
  ) => `INSERT INTO ${s}.client_secrets (id, platform_id, hash, redacted, status, created, created_by)
    VALUES ($1, $2, $3, $4, 'active', $5, $6)`,
);
const revokeSecret = statement(
  'pm_client_secrets_revoke_v1',
  (s) => `UPDATE ${s}.client_secrets SET status = 'revoked', revoked_reason = $2, revoked_at = $3
    WHERE id = $1 AND status = 'active'`,
);

const findSecret = statement(
  'pm_client_secrets_find_v1',
  (s) => `SELECT id, platform_id, status FROM ${s}.client_secrets WHERE hash = $1`,
);

/** Platforms for admins. */
export function platformDirectory(session: Session): PlatformDirectory {
  return {
    find: (id) => findOne(session, find, id),
    async findSecret(hash) {
      const [row] = (await session.query<SecretRow>(findSecret, [Buffer.from(hash)])).rows;
      return row && { id: row.id, platformId: row.platform_id, status: row.status };
    },
    async list({ accounts, environments }, filter, page) {
      const listed = {
        table: 'platforms',
        columns: [...COLUMNS, secretsOf(session.statements.schema)],
        within: (query: Knex.QueryBuilder) => {
          query.whereIn('livemode', accounts === 'all' ? environments.map(livemode) : []);
        },
        narrow: (query: Knex.QueryBuilder) => whereFiltered(query, filter),
      };
      return readPage(session, listed, page, toPlatform);
    },
  };
}

/** Platforms within a change of access. */
export function platformRepository(session: Session): PlatformRepository {
  return {
    find: (id) => findOne(session, find, id),
    async findForUpdate(id) {
      // A statement that waited for the lock would still show the secrets from before it.
      await session.query(lock, [id]);
      return findOne(session, find, id);
    },
    async insert(platform) {
      const { environment, type, created, createdBy } = platform;
      const rest = [livemode(environment), type, created, createdBy];
      await session.query(insert, [...changingValues(platform), ...rest]);
    },
    async update(platform) {
      await session.query(update, changingValues(platform));
    },
    async insertSecret(platformId, { id, redacted, created, createdBy }, hash) {
      const values = [id, platformId, Buffer.from(hash), redacted, created, createdBy];
      await session.query(insertSecret, values);
    },
    async revokeSecret(id, reason, now) {
      await session.query(revokeSecret, [id, reason, now]);
    },
  };
}

async function findOne(
  session: Session,
  by: Statement,
  id: PlatformId,
): Promise<Platform | undefined> {
  const [row] = (await session.query<PlatformRow>(by, [id])).rows;
  return row && toPlatform(row);
}

/** In the order of `COLUMNS`, up to `disabled_at`. */
function changingValues(platform: Platform): unknown[] {
  return [
    platform.id,
    platform.version,
    platform.name,
    platform.redirectUris,
    platform.callbackOrigins,
    platform.scopes,
    platform.requirePkce,
    platform.contactEmail,
    platform.status,
    platform.disabledAt ?? null,
  ];
}

function toPlatform(row: PlatformRow): Platform {
  return {
    id: row.id,
    version: row.version,
    environment: environmentOf(row.livemode),
    type: row.type,
    name: row.name,
    redirectUris: row.redirect_uris,
    callbackOrigins: row.callback_origins,
    scopes: row.scopes,
    requirePkce: row.require_pkce,
    contactEmail: row.contact_email,
    status: row.status,
    created: row.created,
    createdBy: row.created_by,
    secrets: row.secrets.map(toSecret),
    ...present({ disabledAt: row.disabled_at }),
  };
}

function toSecret(row: PlatformRow['secrets'][number]): ClientSecret {
  const { id, redacted, created, created_by: createdBy } = row;
  return { id, redacted, created: new Date(created), createdBy };
}
