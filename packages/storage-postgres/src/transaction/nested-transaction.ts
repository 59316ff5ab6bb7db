import type { Knex } from 'knex';
import { beginNested } from '../connection/connections.ts';
import type { Connection } from '../connection/send.ts';
import type { HookStatements, HookTransaction } from './hook-transaction.ts';

/**
 * A knex transaction within the open one of `connection`, as a savepoint.
 * @param parent the open transaction, or a promise that settles with it
 */
export async function nestedTransaction(
  knex: Knex,
  connection: Connection,
  parent: { readonly executionPromise: Promise<unknown> },
  work: (trx: HookTransaction) => Promise<void>,
): Promise<void> {
  await beginNested(knex, connection, (trx) => {
    const { query } = toHookStatements(trx, connection);
    return work(Object.assign(trx, { parentTransaction: parent, query }));
  });
}

/** Plain SQL beside knex's builders, for as long as the transaction is open. */
function toHookStatements(trx: Knex.Transaction, connection: Connection): HookStatements {
  return {
    async query(text, values = []) {
      if (trx.isCompleted()) throw new Error('This transaction of the hook has ended.');
      const { rows, rowCount } = await connection.query<Record<string, unknown>>(text, [...values]);
      return { rows, rowCount };
    },
  };
}
