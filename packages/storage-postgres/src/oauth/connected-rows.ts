import { environmentOf, livemode, type Owner } from '@paymount/core/kernel';
import type {
  ConnectedApplication,
  ConnectedApplicationReader,
  Grant,
  Platform,
} from '@paymount/core/oauth';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { readPage } from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';
import { GRANT_LIST, type GrantRow, toGrant } from './grant-rows.ts';

type ApplicationRow = Pick<Platform, 'id' | 'name' | 'scopes'> & { readonly livemode: boolean };

const COLUMNS = ['id', 'name', 'scopes', 'livemode'] as const;

const find = statement(
  'pm_connected_find_v1',
  (s) => `SELECT ${COLUMNS.join(', ')} FROM ${s}.platforms t
    WHERE id = $3 AND EXISTS (SELECT FROM ${s}.grants g
      WHERE g.platform_id = t.id AND g.account_id = $1 AND g.livemode = $2)`,
);
const findGrants = statement(
  'pm_connected_grants_v1',
  (s) => `SELECT ${GRANT_LIST} FROM ${s}.grants
    WHERE account_id = $1 AND livemode = $2 AND platform_id = ANY ($3::text[]) AND status = 'active'
    ORDER BY id DESC`,
);

/** The platforms that an account connected. */
export function connectedApplicationReader(session: Session): ConnectedApplicationReader {
  return {
    async find(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), id];
      const { rows } = await session.query<ApplicationRow>(find, values);
      const [application] = await withGrants(session, owner, rows);
      return application;
    },
    async list(owner, page) {
      const listed = {
        table: 'platforms',
        columns: COLUMNS,
        // A page may end with an application that is disconnected before the next page is read.
        within: connected(session, owner, ''),
        narrow: connected(session, owner, "AND status = 'active'"),
      };
      const found = await readPage(session, listed, page, (row: ApplicationRow) => row);
      return { ...found, data: await withGrants(session, owner, found.data) };
    },
  };
}

/** Restricts platforms `t` to those with a grant of the owner. */
function connected(session: Session, { accountId, environment }: Owner, of: string) {
  const grants = `${session.statements.schema}.grants`;
  return (query: Knex.QueryBuilder): void => {
    query.whereRaw(
      `t.id IN (SELECT platform_id FROM ${grants} WHERE account_id = ? AND livemode = ? ${of})`,
      [accountId, livemode(environment)],
    );
  };
}

async function withGrants(
  session: Session,
  { accountId, environment }: Owner,
  rows: readonly ApplicationRow[],
): Promise<readonly ConnectedApplication[]> {
  const values = [accountId, livemode(environment), rows.map(({ id }) => id)];
  const grants: readonly Grant[] =
    rows.length === 0 ? [] : (await session.query<GrantRow>(findGrants, values)).rows.map(toGrant);
  return rows.map(({ livemode: isLive, ...platform }) => ({
    platform: { ...platform, environment: environmentOf(isLive) },
    grants: grants.filter(({ platformId }) => platformId === platform.id),
  }));
}
