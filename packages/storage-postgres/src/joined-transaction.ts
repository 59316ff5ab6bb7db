import type { Knex } from 'knex';
import type { QueryResult, QueryResultRow } from 'pg';
import { type Connection, connectionOf, nestedTransaction, whenSettled } from './connections.ts';
import type { OpenTransaction, Session, TransactionEnd } from './session.ts';
import type { Query } from './shared/statement.ts';
import { type Bounds, inSavepoint, type WholeTransaction } from './transaction-level.ts';
import { Turns } from './turns.ts';

/** As in our own transactions. */
const LOCK_LIMIT = '3s';
/** A shorter limit of the host's stays; the host finds its own again when we are done. */
const LOCK_BOUNDS: Bounds = {
  begin: `SELECT current_setting('lock_timeout') AS host_limit,
      current_setting('transaction_isolation') AS isolation;
    SELECT set_config('lock_timeout', '${LOCK_LIMIT}', true)
    WHERE current_setting('lock_timeout')::interval NOT BETWEEN '1 ms' AND '${LOCK_LIMIT}'`,
  judge: ([, shown]) => assertReadCommitted(shown?.rows[0]?.['isolation']),
  end: ([, shown, set]) =>
    set?.rowCount === 1 ? `SET LOCAL lock_timeout = '${shown?.rows[0]?.['host_limit']}'` : '',
};

/** What we read once a row is locked must be what its last owner committed. */
function assertReadCommitted(isolation: unknown): void {
  if (isolation === 'read committed') return;
  throw new Error(
    `This transaction is ${String(isolation)}, and Paymount works in read committed alone: ` +
      'it would judge balances and charges by what they were when the transaction began.',
  );
}

/** One queue for each connection, as several `using(trx)` share it; and one for each hook. */
const turnsOn = new WeakMap<object, Turns>();

/** @param connection of the transaction; that of a hook has a queue of its own */
function turnsOf(trx: Knex.Transaction, connection: Connection): Turns {
  const known = turnsOfHook(trx) ?? turnsOn.get(connection);
  if (known) return known;
  const turns = new Turns();
  turnsOn.set(connection, turns);
  return turns;
}

function turnsOfHook(trx: Knex.Transaction): Turns | undefined {
  for (let at: Knex.Transaction | undefined = trx; at; at = at.parentTransaction) {
    const turns = turnsOn.get(at);
    if (turns) return turns;
  }
  return undefined;
}

/** Whether a hook was given this transaction, or made it in the one that it was given. */
export function isInHook(trx: Knex.Transaction): boolean {
  return turnsOfHook(trx) !== undefined;
}

/**
 * A hook runs while a call of ours has its turn; calls that the hook makes in its transaction take
 * turns among themselves.
 */
export function turnsInHook(
  work: (trx: Knex.Transaction) => Promise<void>,
): (trx: Knex.Transaction) => Promise<void> {
  return (trx) => {
    turnsOn.set(trx, new Turns());
    return work(trx);
  };
}

/** The host's transaction, on the host's connection: the host ends it. */
export class JoinedTransaction implements OpenTransaction {
  readonly kind = 'host';
  readonly isShared = true;
  readonly #base: Session;
  readonly #trx: Knex.Transaction;

  constructor(base: Session, trx: Knex.Transaction) {
    this.#base = base;
    this.#trx = trx;
  }

  send<Row extends QueryResultRow>(query: Query): Promise<QueryResult<Row>> {
    return this.savepoint((_, open) => open.send(query));
  }

  async savepoint<Result>(
    work: (inner: Session, open: OpenTransaction) => Promise<Result>,
  ): Promise<Result> {
    const connection = await connectionOf(this.#trx);
    const place = { base: this.#base, connection, whole: wholeOf(this.#trx, connection) };
    return turnsOf(this.#trx, connection).take(() => inSavepoint(place, work, LOCK_BOUNDS));
  }

  commitSoon(): void {}

  runHook(work: (trx: Knex.Transaction) => Promise<void>): Promise<void> {
    return this.savepoint((_, open) => open.runHook(work));
  }

  onEnd(told: (end: TransactionEnd) => void): void {
    whenSettled(this.#trx, () => told('settled'));
  }
}

function wholeOf(trx: Knex.Transaction, connection: Connection): WholeTransaction {
  return {
    kind: 'host',
    get isOpen() {
      return !trx.isCompleted();
    },
    commitSoon: () => undefined,
    runHook: (work) => nestedTransaction(trx, connection, trx, turnsInHook(work)),
    onEnd: (told) => whenSettled(trx, () => told('settled')),
  };
}
