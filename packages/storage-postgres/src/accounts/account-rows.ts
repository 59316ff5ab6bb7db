import type {
  Account,
  AccountDirectory,
  AccountReader,
  AccountRepository,
} from '@paymount/core/access';
import type { AccountId } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { readPage, whereEqual } from '../shared/list-page.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

interface AccountRow {
  readonly id: AccountId;
  readonly version: number;
  readonly name: string;
  readonly email: string | null;
  readonly country: string;
  readonly default_currency: string;
  readonly status: Account['status'];
  readonly suspended_at: Date | null;
  readonly created: Date;
}

const COLUMNS = [
  'id',
  'version',
  'name',
  'email',
  'country',
  'default_currency',
  'status',
  'suspended_at',
  'created',
] as const;
const LIST = COLUMNS.join(', ');

const find = statement(
  'pm_accounts_find_v1',
  (s) => `SELECT ${LIST} FROM ${s}.accounts WHERE id = $1`,
);
const findForUpdate = statement(
  'pm_accounts_find_lock_v1',
  (s) => `SELECT ${LIST} FROM ${s}.accounts WHERE id = $1 FOR NO KEY UPDATE`,
);
const insert = statement(
  'pm_accounts_insert_v1',
  (s) => `INSERT INTO ${s}.accounts (${LIST}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const update = statement(
  'pm_accounts_update_v1',
  (s) => `UPDATE ${s}.accounts SET version = $2, name = $3, email = $4, country = $5,
      default_currency = $6, status = $7, suspended_at = $8 WHERE id = $1`,
);

/** Accounts on PostgreSQL. */
export function accountRows(session: Session): AccountReader {
  return { find: (id) => findOne(session, find, id) };
}

/** Lists of accounts for admins. */
export function accountDirectory(session: Session): AccountDirectory {
  return {
    ...accountRows(session),
    async list(scope, { status }, page) {
      const { accounts } = scope;
      const listed = {
        table: 'accounts',
        columns: COLUMNS,
        within: (query: Knex.QueryBuilder) => {
          if (accounts !== 'all') query.whereIn('id', accounts);
        },
        narrow: (query: Knex.QueryBuilder) => whereEqual(query, 'status', status),
      };
      return readPage(session, listed, page, toAccount);
    },
  };
}

/** Accounts within a change of access. */
export function accountRepository(session: Session): AccountRepository {
  return {
    ...accountRows(session),
    findForUpdate: (id) => findOne(session, findForUpdate, id),
    async insert(account) {
      await session.query(insert, [...toValues(account), account.created]);
    },
    async update(account) {
      await session.query(update, toValues(account));
    },
  };
}

async function findOne(
  session: Session,
  by: typeof find,
  id: AccountId,
): Promise<Account | undefined> {
  const [row] = (await session.query<AccountRow>(by, [id])).rows;
  return row && toAccount(row);
}

function toValues(account: Account): unknown[] {
  return [
    account.id,
    account.version,
    account.name,
    account.email,
    account.country,
    account.defaultCurrency,
    account.status,
    account.suspendedAt ?? null,
  ];
}

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    version: row.version,
    name: row.name,
    email: row.email,
    country: row.country,
    defaultCurrency: row.default_currency,
    status: row.status,
    created: row.created,
    ...present({ suspendedAt: row.suspended_at }),
  };
}
