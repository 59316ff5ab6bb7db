import type { Account, AccountId, AccountReader } from '@paymount/core';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';

interface AccountRow {
  readonly id: AccountId;
  readonly name: string;
  readonly email: string | null;
  readonly country: string;
  readonly default_currency: string;
  readonly status: Account['status'];
  readonly created: Date;
}

const find = statement(
  'pm_accounts_find_v1',
  (s) => `SELECT id, name, email, country, default_currency, status, created
    FROM ${s}.accounts WHERE id = $1`,
);
const insert = statement(
  'pm_accounts_insert_v1',
  (s) => `INSERT INTO ${s}.accounts (id, name, email, country, default_currency, status, created)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

/** Accounts on PostgreSQL. */
export function accountRows(session: Session): AccountReader {
  return {
    async find(id) {
      const [row] = (await session.query<AccountRow>(find, [id])).rows;
      return (
        row && {
          id: row.id,
          name: row.name,
          email: row.email,
          country: row.country,
          defaultCurrency: row.default_currency,
          status: row.status,
          created: row.created,
        }
      );
    },
  };
}

/** Adds an account; part of a change of access, so it runs inside its transaction. */
export async function insertAccount(session: Session, account: Account): Promise<void> {
  const { id, name, email, country, defaultCurrency, status, created } = account;
  await session.query(insert, [id, name, email, country, defaultCurrency, status, created]);
}
