import { createHash } from 'node:crypto';
import type { Leak, LeakDirectory, LeakRepository } from '@paymount/core/access';
import {
  type AccountId,
  type EndpointId,
  type EndpointSecretId,
  environmentOf,
  type KeyId,
  type LeakId,
  livemode,
} from '@paymount/core/kernel';
import type { GrantId } from '@paymount/core/oauth';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { readPage, whereFiltered, whereInAdminScope } from '../shared/list-page.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

interface LeakRow {
  readonly id: LeakId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly version: number;
  readonly key_id: KeyId | null;
  readonly endpoint_secret_id: EndpointSecretId | null;
  readonly endpoint_id: EndpointId | null;
  readonly grant_id: GrantId | null;
  readonly redacted: string;
  readonly source: string;
  readonly url: string | null;
  readonly action: Leak['action'];
  readonly status: Leak['status'];
  readonly dismissed_at: Date | null;
  readonly created: Date;
}

interface LeakColumn {
  readonly name: keyof LeakRow | 'place';
  readonly type: string;
  readonly of: (leak: Leak) => unknown;
}

const COLUMNS: readonly LeakColumn[] = [
  { name: 'id', type: 'text', of: ({ id }) => id },
  { name: 'account_id', type: 'text', of: ({ accountId }) => accountId },
  { name: 'livemode', type: 'boolean', of: ({ environment }) => livemode(environment) },
  { name: 'version', type: 'integer', of: ({ version }) => version },
  {
    name: 'key_id',
    type: 'text',
    of: ({ credential }) => (credential.kind === 'key' ? credential.id : null),
  },
  {
    name: 'endpoint_secret_id',
    type: 'text',
    of: ({ credential }) => (credential.kind === 'signing_secret' ? credential.id : null),
  },
  {
    name: 'endpoint_id',
    type: 'text',
    of: ({ credential }) => (credential.kind === 'signing_secret' ? credential.endpointId : null),
  },
  {
    name: 'grant_id',
    type: 'text',
    of: ({ credential }) => (credential.kind === 'grant' ? credential.id : null),
  },
  { name: 'redacted', type: 'text', of: ({ redacted }) => redacted },
  { name: 'source', type: 'text', of: ({ source }) => source },
  { name: 'url', type: 'text', of: ({ url }) => url ?? null },
  { name: 'place', type: 'bytea', of: hashPlace },
  { name: 'action', type: 'text', of: ({ action }) => action },
  { name: 'status', type: 'text', of: ({ status }) => status },
  { name: 'dismissed_at', type: 'timestamptz', of: ({ dismissedAt }) => dismissedAt ?? null },
  { name: 'created', type: 'timestamptz', of: ({ created }) => created },
];
const NAMES = COLUMNS.map(({ name }) => name);
const LIST = NAMES.join(', ');

const find = statement('pm_leaks_find_v2', (s) => `SELECT ${LIST} FROM ${s}.leaks WHERE id = $1`);
const findForUpdate = statement(
  'pm_leaks_lock_v2',
  (s) => `SELECT ${LIST} FROM ${s}.leaks WHERE id = $1 FOR NO KEY UPDATE`,
);
const insert = statement(
  'pm_leaks_insert_v2',
  (s) => `INSERT INTO ${s}.leaks (${LIST})
    SELECT * FROM unnest(${COLUMNS.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')})
    ON CONFLICT DO NOTHING RETURNING id`,
);
const placesSeen = statement(
  'pm_leaks_places_v2',
  (s) => `SELECT DISTINCT COALESCE(url, '') AS url FROM ${s}.leaks
    WHERE (COALESCE(key_id, endpoint_secret_id) = $1 OR grant_id = $1)
      AND COALESCE(url, '') = ANY ($2::text[])`,
);
const markRevoked = statement(
  'pm_leaks_revoked_v2',
  (s) => `UPDATE ${s}.leaks SET action = 'revoked', version = version + 1
    WHERE (COALESCE(key_id, endpoint_secret_id) = $1 OR grant_id = $1) AND action = 'notified'`,
);
const update = statement(
  'pm_leaks_update_v1',
  (s) => `UPDATE ${s}.leaks SET version = $2, status = $3, dismissed_at = $4 WHERE id = $1`,
);

/** Lists of leaks, for admins. */
export function leakDirectory(session: Session): LeakDirectory {
  return {
    find: (id) => findOne(session, find, id),
    async list(scope, filter, page) {
      const listed = {
        table: 'leaks',
        columns: NAMES,
        within: (query: Knex.QueryBuilder) => whereInAdminScope(query, scope),
        narrow: (query: Knex.QueryBuilder) => whereFiltered(query, filter),
      };
      return readPage(session, listed, page, toLeak);
    },
  };
}

/** Leaks within a change of access. */
export function leakRepository(session: Session): LeakRepository {
  return {
    async insert(leaks) {
      const values = COLUMNS.map(({ of }) => leaks.map(of));
      const { rows } = await session.query<{ id: LeakId }>(insert, values);
      const inserted = new Set(rows.map(({ id }) => id));
      return leaks.filter(({ id }) => inserted.has(id));
    },
    async placesSeen(credential, urls) {
      const { rows } = await session.query<{ url: string }>(placesSeen, [credential, urls]);
      return rows.map(({ url }) => url);
    },
    async markRevoked(credential) {
      await session.query(markRevoked, [credential]);
    },
    findForUpdate: (id) => findOne(session, findForUpdate, id),
    async update({ id, version, status, dismissedAt }) {
      await session.query(update, [id, version, status, dismissedAt ?? null]);
    },
  };
}

async function findOne(session: Session, by: typeof find, id: LeakId): Promise<Leak | undefined> {
  const [row] = (await session.query<LeakRow>(by, [id])).rows;
  return row && toLeak(row);
}

/** One row for each credential, source and place. */
function hashPlace({ source, url = '' }: Leak): Buffer {
  return createHash('sha256').update(`${source}\n${url}`).digest();
}

function toLeak(row: LeakRow): Leak {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    version: row.version,
    credential: toCredential(row),
    redacted: row.redacted,
    source: row.source,
    action: row.action,
    status: row.status,
    created: row.created,
    ...present({ url: row.url, dismissedAt: row.dismissed_at }),
  };
}

function toCredential({
  id,
  key_id,
  endpoint_secret_id,
  endpoint_id,
  grant_id,
}: LeakRow): Leak['credential'] {
  if (key_id !== null) return { kind: 'key', id: key_id };
  if (endpoint_secret_id !== null && endpoint_id !== null) {
    return { kind: 'signing_secret', id: endpoint_secret_id, endpointId: endpoint_id };
  }
  if (grant_id !== null) return { kind: 'grant', id: grant_id };
  throw new Error(`Leak ${id} names no credential.`);
}
