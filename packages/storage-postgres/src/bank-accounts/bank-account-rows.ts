import type { Owner } from '@paymount/core/kernel';
import { livemode, PaymountError } from '@paymount/core/kernel';
import type {
  BankAccount,
  BankAccountFacts,
  BankAccountRepository,
  BankAccountState,
  LiveBankAccount,
} from '@paymount/core/payments';
import type { Knex } from 'knex';
import { type Statement, statement } from '../connection/statement.ts';
import { column, columnNames, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereCreated, whereOwned } from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';

const bankAccountFacts = facts<BankAccountFacts>({
  bankName: 'fixed text',
  last4: 'fixed text',
  routingNumber: 'fixed text',
  fingerprint: 'fixed text',
  country: 'fixed text',
  currency: 'fixed text',
  accountHolderName: 'text',
  accountHolderType: 'text',
  isDefault: 'boolean',
  heldUntil: 'timestamptz',
  metadata: 'jsonb',
  created: 'fixed timestamptz',
  createdBy: 'optional fixed jsonb',
});

export const bankAccountTable: Table<BankAccount> = {
  name: 'bank_accounts',
  code: 'ib',
  columns: [
    ...bankAccountFacts.columns,
    column('status', 'text', (account) => account.status),
    column('sealed_number', 'text', (account) =>
      account.status === 'deleted' ? null : account.number.sealed,
    ),
    column('kid', 'text', (account) => (account.status === 'deleted' ? null : account.number.kid)),
    column('failure_code', 'text', (account) =>
      account.status === 'errored' ? account.failureCode : null,
    ),
    column('failure_message', 'text', (account) =>
      account.status === 'errored' ? account.failureMessage : null,
    ),
    column('deleted_at', 'timestamptz', (account) =>
      account.status === 'deleted' ? account.deletedAt : null,
    ),
  ],
};

export interface BankAccountRow extends StoredRow {
  readonly status: BankAccountState['status'];
  readonly sealed_number: string | null;
  readonly kid: string | null;
  readonly failure_code: string | null;
  readonly failure_message: string | null;
  readonly deleted_at: Date | null;
}

/** Each further try means that a request which moved the default has committed in between. */
const MAX_DEFAULT_TRIES = 5;
/** More than an account can add. */
const MAX_LOCKED = 1_000;
export const BANK_ACCOUNT_COLUMNS = columnNames(bankAccountTable);
const SELECT = `SELECT ${BANK_ACCOUNT_COLUMNS.join(', ')} FROM`;
const OWNED = 'WHERE account_id = $1 AND livemode = $2';

const findMany = statement(
  'pm_bank_accounts_find_v2',
  (s) => `${SELECT} ${s}.bank_accounts ${OWNED} AND id = ANY ($3::text[])`,
);
const findForUpdate = statement(
  'pm_bank_accounts_lock_v2',
  (s) => `${SELECT} ${s}.bank_accounts ${OWNED} AND id = $3 FOR NO KEY UPDATE`,
);
const lockDefault = statement(
  'pm_bank_accounts_default_v2',
  (s) => `${SELECT} ${s}.bank_accounts ${OWNED} AND currency = $3 AND is_default
    FOR NO KEY UPDATE`,
);
const findDefault = statement(
  'pm_bank_accounts_has_default_v2',
  (s) => `${SELECT} ${s}.bank_accounts ${OWNED} AND currency = $3 AND is_default`,
);
const lockAccount = statement(
  'pm_bank_accounts_account_v1',
  (s) => `SELECT id FROM ${s}.accounts WHERE id = $1 FOR NO KEY UPDATE`,
);
const lockAll = statement(
  'pm_bank_accounts_lock_all_v2',
  (s) => `${SELECT} ${s}.bank_accounts ${OWNED} AND deleted_at IS NULL
    ORDER BY id LIMIT $3 FOR NO KEY UPDATE`,
);

/** Bank accounts on PostgreSQL. */
export function bankAccountRows(session: Session): BankAccountRepository {
  const read = async (by: Statement, { accountId, environment }: Owner, value: unknown) => {
    const values = [accountId, livemode(environment), value];
    return (await session.query<BankAccountRow>(by, values)).rows.map(toBankAccount);
  };
  return {
    findMany: (owner, ids) => read(findMany, owner, ids),
    find: async (owner, id) => (await read(findMany, owner, [id]))[0],
    findForUpdate: async (owner, id) => (await read(findForUpdate, owner, id))[0],
    async findDefaultForUpdate(owner, currency) {
      for (let tries = 0; tries < MAX_DEFAULT_TRIES; tries += 1) {
        const found = (await read(lockDefault, owner, currency)).find(isLive);
        if (found !== undefined) return found;
        // It may have waited for the former default, which it then leaves out, and it does not see the
        // next one. A statement that waits for nothing tells whether there is one.
        if ((await read(findDefault, owner, currency)).length === 0) return undefined;
      }
      throw new PaymountError('lock_timeout');
    },
    async lockAll(owner) {
      await session.query(lockAccount, [owner.accountId]);
      // A separate statement, which sees what those before it have committed.
      return (await read(lockAll, owner, MAX_LOCKED)).filter(isLive);
    },
    async list(owner, filter, page) {
      const listed = {
        table: 'bank_accounts',
        columns: BANK_ACCOUNT_COLUMNS,
        order: 'created',
        // One that is deleted between two pages stays a cursor.
        within: (query: Knex.QueryBuilder) => whereOwned(query, owner),
        narrow: (query: Knex.QueryBuilder) =>
          whereCreated(query.whereNull('deleted_at'), filter.created),
      } as const;
      const found = await readPage(session, listed, page, toBankAccount);
      return { ...found, data: found.data.filter(isLive) };
    },
  };
}

/** Whether it is not deleted. */
export function isLive(account: BankAccount): account is LiveBankAccount {
  return account.status !== 'deleted';
}

/** The bank account of a row. */
export function toBankAccount(row: BankAccountRow): BankAccount {
  return bankAccountFacts.read(row, toState(row));
}

function toState(row: BankAccountRow): BankAccountState {
  const number = { sealed: row.sealed_number as string, kid: row.kid as string };
  switch (row.status) {
    case 'new':
      return { status: 'new', number };
    case 'errored':
      return {
        status: 'errored',
        number,
        failureCode: row.failure_code as string,
        failureMessage: row.failure_message ?? '',
      };
    case 'deleted':
      return { status: 'deleted', deletedAt: row.deleted_at as Date };
  }
}
