import {
  type AccountId,
  environmentOf,
  isAccountInAdminScope,
  type SettlementDifferenceId,
} from '@paymount/core/kernel';
import type { SettlementDifference, SettlementDifferenceDirectory } from '@paymount/core/payments';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { readPage, whereEqual, whereFiltered, whereInAdminScope } from '../shared/list-page.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

export interface DifferenceRow {
  readonly id: SettlementDifferenceId;
  readonly livemode: boolean;
  readonly processor: string;
  readonly kind: SettlementDifference['kind'];
  readonly account_id: AccountId | null;
  readonly subject_id: SettlementDifference['subjectId'];
  readonly line_id: string | null;
  readonly currency: string;
  readonly expected_amount: bigint | null;
  readonly found_amount: bigint;
  readonly state: SettlementDifference['state'];
  readonly note: string | null;
  readonly created: Date;
}

export const DIFFERENCE_COLUMNS = [
  ...(['id', 'livemode', 'processor', 'kind', 'account_id', 'subject_id', 'line_id'] as const),
  ...(['currency', 'expected_amount', 'found_amount', 'state', 'note', 'created'] as const),
] satisfies readonly (keyof DifferenceRow)[];

const find = statement(
  'pm_settlements_find_v1',
  (s) => `SELECT ${DIFFERENCE_COLUMNS.join(', ')} FROM ${s}.settlement_differences WHERE id = $1`,
);

/** Differences between settlements and the ledger, for operators. */
export function settlementDirectory(session: Session): SettlementDifferenceDirectory {
  return {
    async find(scope, id) {
      const [row] = (await session.query<DifferenceRow>(find, [id])).rows;
      if (row === undefined) return undefined;
      const { account_id: account } = row;
      const isSeen =
        scope.environments.includes(environmentOf(row.livemode)) &&
        (account === null ? scope.accounts === 'all' : isAccountInAdminScope(scope, account));
      return isSeen ? toDifference(row) : undefined;
    },
    async list(scope, { state = 'open', kind, processor, ...filter }, page) {
      const listed = {
        table: 'settlement_differences',
        columns: DIFFERENCE_COLUMNS,
        // Those without an account are in no list of accounts.
        within: (query: Knex.QueryBuilder) => whereInAdminScope(query, scope),
        narrow: (query: Knex.QueryBuilder) => {
          whereFiltered(query, filter);
          whereEqual(query, 'state', state === 'any' ? undefined : state);
          whereEqual(query, 'kind', kind);
          whereEqual(query, 'processor', processor);
        },
      };
      return readPage(session, listed, page, toDifference);
    },
  };
}

/** The difference of a row. */
export function toDifference(row: DifferenceRow): SettlementDifference {
  return {
    id: row.id,
    environment: environmentOf(row.livemode),
    processor: row.processor,
    kind: row.kind,
    subjectId: row.subject_id,
    currency: row.currency,
    found: Number(row.found_amount),
    state: row.state,
    created: row.created,
    ...present({
      accountId: row.account_id,
      lineId: row.line_id,
      expected: row.expected_amount === null ? null : Number(row.expected_amount),
      note: row.note,
    }),
  };
}
