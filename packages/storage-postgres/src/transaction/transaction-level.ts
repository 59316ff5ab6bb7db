import type { QueryResultRow } from 'pg';
import { isSavepointLost } from '../connection/sql-errors.ts';
import type { Query } from '../connection/statement.ts';
import type { StatementResult, StatementSender } from '../connection/statement-sender.ts';
import { ConnectionQueue } from './connection-queue.ts';
import type { HookTransaction } from './hook-transaction.ts';
import { type OpenTransaction, Session, type TransactionEnd, type WrittenRow } from './session.ts';

/** For a transaction that was already open. */
export const ENDED = 'This transaction has ended; nothing more can be done in it.';

/** The state of a transaction as a whole, independent of its savepoints. */
export interface WholeTransaction {
  readonly kind: OpenTransaction['kind'];
  /** False after the end, when others may use the connection. */
  readonly isOpen: boolean;
  commitSoon(): void;
  wrote(row: WrittenRow): void;
  runHook(work: (trx: HookTransaction) => Promise<void>): Promise<void>;
  onEnd(told: (end: TransactionEnd) => void): void;
}

/** The position of a level. */
export interface Place {
  readonly base: Session;
  readonly sender: StatementSender;
  readonly whole: WholeTransaction;
  /** Absent for the transaction itself. */
  readonly outer?: Level;
}

/** A transaction or a savepoint in it, in which one statement runs at a time. */
export class Level implements OpenTransaction {
  readonly isShared = false;
  readonly #place: Place;
  readonly #queue = new ConnectionQueue();
  #isClosed = false;

  constructor(place: Place) {
    this.#place = place;
  }

  get kind(): OpenTransaction['kind'] {
    return this.#place.whole.kind;
  }

  get isOpen(): boolean {
    const { outer, whole } = this.#place;
    return !this.#isClosed && (outer ?? whole).isOpen;
  }

  send<Row extends QueryResultRow>(query: Query): Promise<StatementResult<Row>> {
    return this.#queue.take(() => {
      assertOpen(this);
      return this.#place.sender.send(query);
    });
  }

  savepoint<Result>(
    work: (inner: Session, open: OpenTransaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#queue.take(() => inSavepoint({ ...this.#place, outer: this }, work));
  }

  commitSoon(): void {
    this.#place.whole.commitSoon();
  }

  wrote(row: WrittenRow): void {
    this.#place.whole.wrote(row);
  }

  runHook(work: (trx: HookTransaction) => Promise<void>): Promise<void> {
    return this.#queue.take(() => {
      assertOpen(this);
      return this.#place.whole.runHook(work);
    });
  }

  onEnd(told: (end: TransactionEnd) => void): void {
    this.#place.whole.onEnd(told);
  }

  /** Refuses new work, and waits for work in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue.idle();
  }
}

/** Statements that are sent together with the beginning and the end of a savepoint. */
export interface Bounds {
  /** Rolled back with the savepoint. */
  readonly begin: readonly string[];
  /** @throws Error when this transaction cannot be used */
  assertBegun(begun: readonly StatementResult[]): void;
  /** @param begun the results of SAVEPOINT and of each statement of `begin` */
  end(begun: readonly StatementResult[]): readonly string[];
  /**
   * Called when the transaction has ended after the work, but before the end of the savepoint.
   * @throws Error unless what was written is committed
   */
  assertCommitted(cause: unknown): Promise<void>;
}

/** For an inner savepoint of the host's transaction, the outermost one checks that. */
const UNBOUNDED: Bounds = {
  begin: [],
  assertBegun: () => undefined,
  end: () => [],
  assertCommitted: async () => undefined,
};
let savepoints = 0;

/**
 * Runs `work` in a savepoint.
 * @throws what `work` throws; Error when the transaction has ended, because others may use the
 * connection by then, unless it was the host's transaction and the writes of `work` are committed
 */
export async function inSavepoint<Result>(
  place: Place,
  work: (inner: Session, open: OpenTransaction) => Promise<Result>,
  bounds: Bounds = UNBOUNDED,
): Promise<Result> {
  const { base, sender, outer, whole } = place;
  const outside = outer ?? whole;
  savepoints += 1;
  const name = `pm_${savepoints}`;
  assertOpen(outside);
  const begun = await sender.control([`SAVEPOINT ${name}`, ...bounds.begin]);
  const level = new Level(place);
  try {
    bounds.assertBegun(begun);
    const result = await work(new Session(base, { open: level }), level);
    await level.close();
    try {
      assertOpen(outside);
      await sender.control([`RELEASE SAVEPOINT ${name}`, ...bounds.end(begun)]);
    } catch (error) {
      const isEnded = !outside.isOpen || isSavepointLost(error);
      if (!isEnded || whole.kind === 'own') throw error;
      await bounds.assertCommitted(error);
    }
    return result;
  } catch (error) {
    await level.close();
    if (outside.isOpen) {
      const undo = [`ROLLBACK TO SAVEPOINT ${name}`, `RELEASE SAVEPOINT ${name}`];
      await sender.control(undo).catch(() => undefined);
    }
    throw error;
  }
}

function assertOpen(stretch: { readonly isOpen: boolean }): void {
  if (!stretch.isOpen) throw new Error(ENDED);
}
