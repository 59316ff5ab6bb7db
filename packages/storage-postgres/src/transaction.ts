import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { HookError } from '@paymount/core/changes';
import { isError, PaymountError, withTimeout } from '@paymount/core/kernel';
import { COMMIT_IN_TIME, isFailedCast, LATE } from './commit-limit.ts';
import { type Connection, discard, nestedTransaction, send } from './connections.ts';
import type { HookTransaction } from './hook-transaction.ts';
import { turnsInHook } from './knex-side.ts';
import { Session, type TransactionEnd } from './session.ts';
import { isLockedOut, isRerunnable } from './shared/sql-errors.ts';
import { Level, type WholeTransaction } from './transaction-level.ts';
import { pgWire } from './wire.ts';

const MAX_TRIES = 5;
const LOCK_LIMIT_MS = 3_000;
/** Rows are locked while the hook runs, and others wait for them. */
const HOOK_LIMIT_MS = 5_000;
/**
 * A hook waits for the host's rows with the charge locked, and the host's own transaction may wait
 * for the charge with those rows locked. So the hook gives way, its transaction is rolled back, and
 * the whole is run again: sooner than a server looks for a deadlock (1 s), which would end the
 * host's transaction instead. Short, because the host may stand behind many results of one charge.
 */
const HOOK_LOCK_LIMIT_MS = 25;
/** With no lock held, and a different one each time, so that hooks do not meet again. */
const [HOOK_PAUSE_LEAST_MS, HOOK_PAUSE_MOST_MS] = [25, 75] as const;
/** With both times above: a hook's lock is awaited for 3 s in all, as any other. */
const MAX_HOOK_TRIES = 40;
/** Past `HOOK_LIMIT_MS`: of a process that stands still, the server lets go of the locks. */
const IDLE_LIMIT_MS = 6_000;
/** One round trip: the limits hold for this transaction only. */
const BEGIN =
  `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${LOCK_LIMIT_MS}; ` +
  'SET LOCAL statement_timeout = 5000; ' +
  `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_LIMIT_MS}`;

/**
 * Runs `work` in one transaction. Inside one of the host's it becomes a savepoint of it;
 * otherwise every path ends in COMMIT or ROLLBACK here, and there is no other BEGIN.
 * Serialization failures and deadlocks run `work` again, at most 5 tries; in a host's transaction
 * they are thrown, because only the host can run the whole of it again.
 */
export function inTransaction<Result>(
  session: Session,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { open } = session;
  if (open) return open.savepoint(work);
  return rerun(() => session.connections.use((connection) => attempt(session, connection, work)));
}

/**
 * @throws `lock_timeout` when the fifth try failed like the others; `HookError` when the hook never
 *   got a lock that it waits for
 */
export async function rerun<Result>(work: () => Promise<Result>): Promise<Result> {
  let tries = 0;
  let hookTries = 0;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const cause = isError(error) && error.cause;
      if (HookError.is(error) && isLockedOut(cause)) {
        hookTries += 1;
        if (hookTries === MAX_HOOK_TRIES) throw error;
        await wait(randomInt(HOOK_PAUSE_LEAST_MS, HOOK_PAUSE_MOST_MS));
      } else if (isRerunnable(error) || isRerunnable(cause)) {
        tries += 1;
        if (tries === MAX_TRIES) {
          throw new PaymountError('lock_timeout', undefined, { cause: error });
        }
      } else throw error;
    }
  }
}

async function attempt<Result>(
  session: Session,
  connection: Connection,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const whole = new OwnTransaction(session, connection);
  const wire = pgWire(connection, session.statements);
  const level = new Level({ base: session, wire, whole });
  await wire.control([BEGIN]);
  try {
    const result = await work(new Session(session, { open: level }));
    await level.close();
    await commit(session, connection, whole.commitsSoon);
    whole.end('committed');
    return result;
  } catch (error) {
    await level.close();
    // After a failed COMMIT this finds no transaction, or a closed connection; both are fine.
    await wire.control(['ROLLBACK']).catch(() => undefined);
    whole.end('rolled_back');
    throw error;
  }
}

/** COMMIT of a transaction in which a statement had failed answers ROLLBACK, and no error. */
async function commit(session: Session, connection: Connection, soon: boolean): Promise<void> {
  let tag: string | undefined;
  try {
    const ending = session.statements.plain(soon ? COMMIT_IN_TIME : 'COMMIT');
    // A list for several statements only.
    tag = [await send(connection, ending)].flat().at(-1)?.command;
  } catch (cause) {
    if (isFailedCast(cause, LATE)) throw new PaymountError('lock_timeout', undefined, { cause });
    throw cause;
  }
  if (tag !== 'COMMIT')
    throw new Error('A failed statement was passed over; nothing is committed.');
}

/** A transaction that is begun and ended here. */
class OwnTransaction implements WholeTransaction {
  readonly kind = 'own';
  readonly #session: Session;
  readonly #connection: Connection;
  readonly #told: ((end: TransactionEnd) => void)[] = [];
  readonly #ended: Promise<void>;
  #end: () => void = () => undefined;
  #isOpen = true;
  #commitsSoon = false;

  constructor(session: Session, connection: Connection) {
    this.#session = session;
    this.#connection = connection;
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get commitsSoon(): boolean {
    return this.#commitsSoon;
  }

  commitSoon(): void {
    this.#commitsSoon = true;
  }

  /** Its end is not missed. */
  wrote(): void {}

  async runHook(work: (trx: HookTransaction) => Promise<void>): Promise<void> {
    await withTimeout(this.#hooked(work), HOOK_LIMIT_MS, () => {
      const error = new Error(`The hook did not end within ${HOOK_LIMIT_MS} ms.`);
      // It may go on at any time, and must not find the connection in another's hands.
      discard(this.#connection, error);
      throw error;
    });
    // What follows in the transaction waits as ever.
    await this.#limitLocks(LOCK_LIMIT_MS);
  }

  async #hooked(work: (trx: HookTransaction) => Promise<void>): Promise<void> {
    const { knex } = this.#session.connections;
    await this.#limitLocks(HOOK_LOCK_LIMIT_MS);
    const parent = { executionPromise: this.#ended };
    await nestedTransaction(knex, this.#connection, parent, turnsInHook(work));
  }

  async #limitLocks(ms: number): Promise<void> {
    const limit = this.#session.statements.plain(`SET LOCAL lock_timeout = ${ms}`);
    await send(this.#connection, limit);
  }

  onEnd(told: (end: TransactionEnd) => void): void {
    this.#told.push(told);
  }

  end(how: TransactionEnd): void {
    this.#isOpen = false;
    this.#end();
    for (const told of this.#told) told(how);
  }
}
