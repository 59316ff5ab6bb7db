import type { AuditDirectory, AuditFilter, AuditRecord } from '@paymount/core/changes';
import type { AdminScope } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { allRows, readPage, whereCreated, whereEqual, whereFiltered } from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';
import { AUDIT_COLUMNS, type AuditRow, toAuditRecord } from './audit-rows.ts';
import { verifyAudit } from './audit-verify-rows.ts';

const EXPORT_BATCH = 500;

const find = statement(
  'pm_audit_find_v1',
  (s) => `SELECT ${AUDIT_COLUMNS.join(', ')} FROM ${s}.audit_log WHERE id = $1`,
);

/** The audit log, to read, export and verify. */
export function auditDirectory(session: Session): AuditDirectory {
  return {
    async find(id) {
      const [row] = (await session.query<AuditRow>(find, [id])).rows;
      return row && toAuditRecord(row);
    },
    async list(scope, filter, page) {
      return readPage(session, listed(scope, filter), page, toAuditRecord);
    },
    export: (scope, filter) => exported(session, scope, filter),
    verify: (account, kept) => verifyAudit(session, account, kept),
  };
}

function listed(scope: AdminScope, filter: AuditFilter) {
  return {
    table: 'audit_log',
    columns: AUDIT_COLUMNS,
    within: (query: Knex.QueryBuilder) => whereVisible(query, scope),
    narrow: (query: Knex.QueryBuilder) => {
      whereFiltered(query, filter);
      whereEqual(query, 'action', filter.action);
      whereEqual(query, 'target', filter.target);
      whereEqual(query, 'actor_id', filter.actor);
      whereCreated(query, filter.created);
    },
  };
}

/**
 * Only admins with access to all accounts see rows without an account. Rows without an environment
 * belong to both.
 */
function whereVisible(query: Knex.QueryBuilder, { accounts, environments }: AdminScope): void {
  if (accounts !== 'all') query.whereIn('account_id', accounts);
  if (environments.length > 1) return;
  query.where((either) => {
    either.whereNull('livemode');
    for (const environment of environments) either.orWhere({ livemode: environment === 'live' });
  });
}

async function* exported(
  session: Session,
  scope: AdminScope,
  filter: AuditFilter,
): AsyncGenerator<AuditRecord> {
  // In the order of ids, an entry could commit behind the cursor. The entries of a chain commit in
  // the order of the chain.
  const walk = { by: ['chain', 'seq'], batch: EXPORT_BATCH } as const;
  const all = listed(scope, filter);
  const narrow = (query: Knex.QueryBuilder): void => {
    all.narrow(query);
    // The same condition again, as the index for this order states it.
    whereEqual(query, 'chain', filter.account);
  };
  const rows = allRows<AuditRow>(session, { ...all, narrow }, walk);
  for await (const row of rows) yield toAuditRecord(row);
}
