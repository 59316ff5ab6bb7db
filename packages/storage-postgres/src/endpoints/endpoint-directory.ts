import type { EndpointDirectory } from '@paymount/core/events';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { readPage, whereFiltered, whereInAdminScope } from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';
import { ENDPOINT_COLUMNS, type EndpointRow, toEndpoint } from './endpoint-rows.ts';

const find = statement(
  'pm_endpoints_look_up_v2',
  (s) => `SELECT ${ENDPOINT_COLUMNS.join(', ')} FROM ${s}.webhook_endpoints
    WHERE id = $1 AND status <> 'deleted'`,
);

/** Lists of webhook endpoints, for admins. */
export function endpointDirectory(session: Session): EndpointDirectory {
  return {
    async find(id) {
      const [row] = (await session.query<EndpointRow>(find, [id])).rows;
      return row && toEndpoint(row);
    },
    async list(scope, filter, page) {
      const listed = {
        table: 'webhook_endpoints',
        columns: ENDPOINT_COLUMNS,
        within: (query: Knex.QueryBuilder) => whereInAdminScope(query, scope),
        narrow: (query: Knex.QueryBuilder) => {
          whereFiltered(query, filter);
          query.whereNot('status', 'deleted');
          if (filter.failing === true) query.whereNotNull('failing_since');
          if (filter.failing === false) query.whereNull('failing_since');
        },
      };
      return readPage(session, listed, page, toEndpoint);
    },
  };
}
