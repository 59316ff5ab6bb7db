import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { HookError, type LockWaits } from '@paymount/core/changes';
import { isError, PaymountError, withTimeout } from '@paymount/core/kernel';
import { type Connection, discard, send } from '../connection/send.ts';
import { isLockedOut, isRerunnable } from '../connection/sql-errors.ts';
import { pgSender } from '../connection/statement-sender.ts';
import { COMMIT_IN_TIME, isFailedCast, LATE } from './commit-limit.ts';
import { withHookQueue } from './connection-queues.ts';
import type { HookTransaction } from './hook-transaction.ts';
import { nestedTransaction } from './nested-transaction.ts';
import { Session, type TransactionEnd } from './session.ts';
import { Level, type WholeTransaction } from './transaction-level.ts';

const MAX_TRIES = 5;
/** While the hook runs, rows are locked, and others wait for them. */
const HOOK_LIMIT_MS = 5_000;
/**
 * A hook waits for the host's rows while the charge is locked, and the host's own transaction may
 * wait for the charge while those rows are locked. So the hook gives up first, its transaction is
 * rolled back, and everything runs again. This must happen before the server checks for deadlocks
 * (1 s), which would end the host's transaction instead. It is short because the host may wait for
 * many results of one charge.
 */
const HOOK_LOCK_LIMIT_MS = 25;
/**
 * The wait before the next try, without locks. It is random, so that hooks do not collide again.
 */
const [HOOK_PAUSE_LEAST_MS, HOOK_PAUSE_MOST_MS] = [25, 75] as const;
/** How long a transaction waits for a lock, and how often its hook is tried that waits for one. */
interface Patience {
  readonly lockLimitMs: number;
  readonly maxHookTries: number;
}
/** With both times above, a hook waits 3 s in all for a lock, like everything else. */
const PATIENT: Patience = { lockLimitMs: 3_000, maxHookTries: 40 };
/** Of `LockWaits`: a hook waits for about as long as everything else here, too. */
const BRIEF: Patience = { lockLimitMs: 200, maxHookTries: 3 };
/** Longer than `HOOK_LIMIT_MS`: if a process hangs, the server releases its locks. */
const IDLE_LIMIT_MS = 6_000;
/** One round trip: the limits hold for this transaction only. */
const begin = ({ lockLimitMs }: Patience): string =>
  `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${lockLimitMs}; ` +
  'SET LOCAL statement_timeout = 5000; ' +
  `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_LIMIT_MS}`;

/**
 * Runs `work` in one transaction. Within a host's transaction it becomes a savepoint. Otherwise
 * every path ends in COMMIT or ROLLBACK here, and no other code sends BEGIN. After serialization
 * failures and deadlocks `work` runs again, at most 5 times. In a host's transaction they are
 * thrown, because only the host can run its whole transaction again.
 */
export function inTransaction<Result>(
  session: Session,
  work: (session: Session) => Promise<Result>,
  { areBrief = false }: LockWaits = {},
): Promise<Result> {
  const { open } = session;
  if (open) return open.savepoint(work);
  const patience = areBrief ? BRIEF : PATIENT;
  return rerun(
    () => session.connections.use((connection) => attempt(session, connection, work, patience)),
    patience,
  );
}

/**
 * @throws `lock_timeout` when the fifth try also failed; `HookError` when the hook did not get a
 * lock
 */
export async function rerun<Result>(
  work: () => Promise<Result>,
  { maxHookTries }: Pick<Patience, 'maxHookTries'> = PATIENT,
): Promise<Result> {
  let tries = 0;
  let hookTries = 0;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const cause = isError(error) && error.cause;
      if (HookError.is(error) && isLockedOut(cause)) {
        hookTries += 1;
        if (hookTries === maxHookTries) throw error;
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
  patience: Patience,
): Promise<Result> {
  const whole = new OwnTransaction(session, connection, patience);
  const sender = pgSender(connection, session.statements);
  const level = new Level({ base: session, sender, whole });
  await sender.control([begin(patience)]);
  try {
    const result = await work(new Session(session, { open: level }));
    await level.close();
    await commit(session, connection, whole.commitsSoon);
    whole.end('committed');
    return result;
  } catch (error) {
    await level.close();
    // After a failed COMMIT there is no transaction, or the connection is closed; both are fine.
    await sender.control(['ROLLBACK']).catch(() => undefined);
    whole.end('rolled_back');
    throw error;
  }
}

/** In a failed transaction, COMMIT returns the tag ROLLBACK and no error. */
async function commit(session: Session, connection: Connection, soon: boolean): Promise<void> {
  let tag: string | undefined;
  try {
    const ending = session.statements.plain(soon ? COMMIT_IN_TIME : 'COMMIT');
    // An array only if there are several statements.
    tag = [await send(connection, ending)].flat().at(-1)?.command;
  } catch (cause) {
    if (isFailedCast(cause, LATE)) throw new PaymountError('lock_timeout', undefined, { cause });
    throw cause;
  }
  if (tag !== 'COMMIT')
    throw new Error('A failed statement was passed over; nothing is committed.');
}

/** A transaction that we begin and end. */
class OwnTransaction implements WholeTransaction {
  readonly kind = 'own';
  readonly #session: Session;
  readonly #connection: Connection;
  readonly #lockLimitMs: number;
  readonly #told: ((end: TransactionEnd) => void)[] = [];
  readonly #ended: Promise<void>;
  #end: () => void = () => undefined;
  #isOpen = true;
  #commitsSoon = false;

  constructor(session: Session, connection: Connection, { lockLimitMs }: Patience) {
    this.#session = session;
    this.#connection = connection;
    this.#lockLimitMs = lockLimitMs;
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

  /** We never miss its end. */
  wrote(): void {}

  async runHook(work: (trx: HookTransaction) => Promise<void>): Promise<void> {
    await withTimeout(this.#hooked(work), HOOK_LIMIT_MS, () => {
      const error = new Error(`The hook did not end within ${HOOK_LIMIT_MS} ms.`);
      // It may continue at any time, and nobody else may use the connection by then.
      discard(this.#connection, error);
      throw error;
    });
    // The previous lock timeout applies to the rest of the transaction.
    await this.#limitLocks(this.#lockLimitMs);
  }

  async #hooked(work: (trx: HookTransaction) => Promise<void>): Promise<void> {
    const { knex } = this.#session.connections;
    await this.#limitLocks(HOOK_LOCK_LIMIT_MS);
    const parent = { executionPromise: this.#ended };
    await nestedTransaction(knex, this.#connection, parent, withHookQueue(work));
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
