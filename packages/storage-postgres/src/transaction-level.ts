import type { QueryResultRow } from 'pg';
import { ConnectionQueue } from './connection-queue.ts';
import type { HookTransaction } from './hook-transaction.ts';
import { type OpenTransaction, Session, type TransactionEnd, type WrittenRow } from './session.ts';
import { isSavepointLost } from './shared/sql-errors.ts';
import type { Query } from './shared/statement.ts';
import type { Wire, WireResult } from './wire.ts';

/** Of a transaction that was open before. */
export const ENDED = 'This transaction has ended; nothing more can be done in it.';

/** What holds for a transaction as a whole, whatever savepoints it is in. */
export interface WholeTransaction {
  readonly kind: OpenTransaction['kind'];
  /** False after the end, when others may have the connection. */
  readonly isOpen: boolean;
  commitSoon(): void;
  wrote(row: WrittenRow): void;
  runHook(work: (trx: HookTransaction) => Promise<void>): Promise<void>;
  onEnd(told: (end: TransactionEnd) => void): void;
}

/** Where a level stands. */
export interface Place {
  readonly base: Session;
  readonly wire: Wire;
  readonly whole: WholeTransaction;
  /** Absent for the transaction itself. */
  readonly outer?: Level;
}

/** A transaction, or a savepoint in one: a stretch in which one thing happens at a time. */
export class Level implements OpenTransaction {
  readonly isShared = false;
  readonly #place: Place;
  readonly #turns = new ConnectionQueue();
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

  send<Row extends QueryResultRow>(query: Query): Promise<WireResult<Row>> {
    return this.#turns.take(() => {
      assertOpen(this);
      return this.#place.wire.send(query);
    });
  }

  savepoint<Result>(
    work: (inner: Session, open: OpenTransaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#turns.take(() => inSavepoint({ ...this.#place, outer: this }, work));
  }

  commitSoon(): void {
    this.#place.whole.commitSoon();
  }

  wrote(row: WrittenRow): void {
    this.#place.whole.wrote(row);
  }

  runHook(work: (trx: HookTransaction) => Promise<void>): Promise<void> {
    return this.#turns.take(() => {
      assertOpen(this);
      return this.#place.whole.runHook(work);
    });
  }

  onEnd(told: (end: TransactionEnd) => void): void {
    this.#place.whole.onEnd(told);
  }

  /** Refuses what comes from now on, and waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turns.idle();
  }
}

/** What is sent along with a savepoint's beginning and end. */
export interface Bounds {
  /** Undone with the savepoint. */
  readonly begin: readonly string[];
  /** @throws Error when nothing can be done in such a transaction */
  assertBegun(begun: readonly WireResult[]): void;
  /** @param begun the answers of SAVEPOINT and of each statement of `begin` */
  end(begun: readonly WireResult[]): readonly string[];
  /**
   * The transaction has ended after the work, and before the end of the savepoint.
   * @throws Error unless what was written is committed
   */
  assertCommitted(cause: unknown): Promise<void>;
}

/** An inner savepoint of the host's transaction leaves it to the outermost one to find out. */
const UNBOUNDED: Bounds = {
  begin: [],
  assertBegun: () => undefined,
  end: () => [],
  assertCommitted: async () => undefined,
};
let savepoints = 0;

/**
 * Runs `work` in a savepoint.
 * @throws what `work` throws; Error when the transaction has ended, as others may have the
 *   connection by then, unless it was the host's and what `work` wrote is committed
 */
export async function inSavepoint<Result>(
  place: Place,
  work: (inner: Session, open: OpenTransaction) => Promise<Result>,
  bounds: Bounds = UNBOUNDED,
): Promise<Result> {
  const { base, wire, outer, whole } = place;
  const outside = outer ?? whole;
  savepoints += 1;
  const name = `pm_${savepoints}`;
  assertOpen(outside);
  const begun = await wire.control([`SAVEPOINT ${name}`, ...bounds.begin]);
  const level = new Level(place);
  try {
    bounds.assertBegun(begun);
    const result = await work(new Session(base, { open: level }), level);
    await level.close();
    try {
      assertOpen(outside);
      await wire.control([`RELEASE SAVEPOINT ${name}`, ...bounds.end(begun)]);
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
      await wire.control(undo).catch(() => undefined);
    }
    throw error;
  }
}

function assertOpen(stretch: { readonly isOpen: boolean }): void {
  if (!stretch.isOpen) throw new Error(ENDED);
}
