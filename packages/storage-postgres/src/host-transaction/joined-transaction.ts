import { setTimeout as wait } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import {
  isAborted,
  isOutsideTransaction,
  isReadOnly,
  isTableMissing,
} from '../connection/sql-errors.ts';
import type { Query } from '../connection/statement.ts';
import type { StatementResult } from '../connection/statement-sender.ts';
import type { HookTransaction } from '../transaction/hook-transaction.ts';
import type {
  OpenTransaction,
  Session,
  TransactionEnd,
  WrittenRow,
} from '../transaction/session.ts';
import {
  type Bounds,
  ENDED,
  inSavepoint,
  type WholeTransaction,
} from '../transaction/transaction-level.ts';
import type { HostHandle } from './host-handle.ts';

const ABORTED =
  'The current transaction is aborted, because a statement in it failed. Roll it back, or back to ' +
  'a savepoint before that statement, and call again.';
const READ_ONLY =
  'This transaction is read only, and the call changes something. Begin it READ WRITE.';
const OUTCOME_UNKNOWN =
  'This transaction, or a savepoint around the call, ended in the middle of a call, and it is unknown ' +
  'whether its changes were committed. List the charges or refunds before you call again, or ' +
  'repeat it with its idempotencyKey.';
/** 3 s in all. */
const [MAX_LOOKS, LOOK_PAUSE_MS] = [60, 50] as const;
/** As in our own transactions. */
const LOCK_LIMIT = '3s';
/** Set in the transaction until it ends; every change checks it. */
const JOINED = 'paymount.joined';

/** An expression that is null outside the transaction that was joined. */
export const IS_JOINED = `NULLIF(current_setting('${JOINED}', true), '')`;

/**
 * A shorter limit of the host is kept, and times are returned in our format. The host's settings
 * are restored afterwards. `xid` identifies the transaction, also on other connections.
 */
const BEGIN = `WITH shown AS MATERIALIZED (SELECT current_setting('lock_timeout') AS host_limit,
    current_setting('datestyle') AS host_style)
  SELECT host_limit, host_style, current_setting('transaction_isolation') AS isolation,
    pg_current_xact_id()::text AS xid,
    set_config('${JOINED}', 'yes', true) AS joined,
    CASE WHEN host_style NOT LIKE 'ISO%' THEN set_config('datestyle', 'ISO', true) END AS our_style,
    CASE WHEN host_limit::interval NOT BETWEEN '1 ms' AND '${LOCK_LIMIT}'
      THEN set_config('lock_timeout', '${LOCK_LIMIT}', true) END AS our_limit
  FROM shown`;

/** After we have locked a row, we must read what its last holder committed. */
function assertReadCommitted(isolation: unknown): void {
  if (isolation === 'read committed') return;
  throw new Error(
    `This transaction is ${String(isolation)}, and Paymount works in read committed alone: ` +
      'it would check balances and charges by what they were when the transaction began.',
  );
}

/** The host's transaction on the host's connection, which the host ends. */
export class JoinedTransaction implements OpenTransaction {
  readonly kind = 'host';
  readonly isShared = true;
  readonly #base: Session;
  readonly #handle: HostHandle;
  readonly #bounds: Bounds;
  readonly #whole: WholeTransaction;
  /**
   * The transaction that was open at the first use. The connection may be in another one by now.
   */
  #xid: string | undefined;
  #written: WrittenRow | undefined;

  constructor(base: Session, handle: HostHandle) {
    this.#base = base;
    this.#handle = handle;
    this.#bounds = {
      begin: [BEGIN],
      assertBegun: ([, shown]) => this.#assertJoinable(shown?.rows[0]),
      end: ([, shown]) => restoreStatements(shown?.rows[0]),
      assertCommitted: (cause) => this.#assertCommitted(cause),
    };
    this.#whole = {
      kind: 'host',
      get isOpen() {
        return handle.isOpen;
      },
      commitSoon: () => undefined,
      wrote: (row) => this.wrote(row),
      runHook: (work) => handle.runHook(work),
      onEnd: (told) => this.onEnd(told),
    };
  }

  send<Row extends QueryResultRow>(query: Query): Promise<StatementResult<Row>> {
    return this.savepoint((_, open) => open.send(query));
  }

  async savepoint<Result>(
    work: (inner: Session, open: OpenTransaction) => Promise<Result>,
  ): Promise<Result> {
    if (!this.#handle.isOpen) throw new Error(ENDED);
    try {
      const { sender, queue } = await this.#handle.connect();
      const place = { base: this.#base, sender, whole: this.#whole };
      return await queue.take(() => inSavepoint(place, work, this.#bounds));
    } catch (error) {
      if (isOutsideTransaction(error)) throw new Error(ENDED, { cause: error });
      if (isAborted(error)) throw new Error(ABORTED, { cause: error });
      if (isReadOnly(error)) throw new Error(READ_ONLY, { cause: error });
      const { schemaName } = this.#base.statements;
      if (isTableMissing(error, schemaName)) throw elsewhere(schemaName, error);
      throw error;
    }
  }

  commitSoon(): void {}

  wrote(row: WrittenRow): void {
    this.#written = row;
  }

  runHook(work: (trx: HookTransaction) => Promise<void>): Promise<void> {
    return this.savepoint((_, open) => open.runHook(work));
  }

  onEnd(told: (end: TransactionEnd) => void): void {
    this.#handle.onEnd?.(() => told('settled'));
  }

  #assertJoinable(shown: QueryResultRow | undefined): void {
    assertReadCommitted(shown?.['isolation']);
    const xid = String(shown?.['xid']);
    this.#handle.onSavepoint?.(xid);
    this.#xid ??= xid;
    if (this.#xid !== xid) throw new Error(ENDED);
  }

  async #assertCommitted(cause: unknown): Promise<void> {
    const end = this.#handle.isOutermost ? await this.#lookUp() : 'unknown';
    if (end === 'committed') return;
    throw new Error(end === 'undone' ? ENDED : OUTCOME_UNKNOWN, { cause });
  }

  /** Checks on another connection whether the writes were committed. */
  async #lookUp(): Promise<'committed' | 'undone' | 'unknown'> {
    try {
      const outcome = await this.#outcome();
      if (outcome === 'aborted') return 'undone';
      if (outcome !== 'committed') return 'unknown';
      return (await this.#isThere()) ? 'committed' : 'undone';
    } catch {
      return 'unknown';
    }
  }

  /**
   * The end may be in progress: knex reports it before the server responds. If the transaction is
   * still open, only a savepoint has ended.
   */
  async #outcome(): Promise<unknown> {
    const query = 'SELECT pg_xact_status($1::text::xid8) AS outcome';
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const { rows } = await this.#base.plain(query, [this.#xid]);
      const outcome: unknown = rows[0]?.['outcome'];
      if (outcome !== 'in progress' || this.#handle.isOpen) return outcome;
      await wait(LOOK_PAUSE_MS);
    }
    return undefined;
  }

  /** The host may have rolled back to an earlier savepoint and then committed. */
  async #isThere(): Promise<boolean> {
    if (this.#written === undefined) return true;
    const { table, id, version } = this.#written;
    const { schema } = this.#base.statements;
    const query = `SELECT FROM ${schema}.${table} WHERE id = $1 AND version >= $2`;
    return (await this.#base.plain(query, [id, version])).rows.length > 0;
  }
}

function elsewhere(schema: string, cause: unknown): Error {
  return new Error(
    `The database of this transaction has no tables of Paymount in its schema "${schema}". ` +
      'Begin the transaction on the database that `createPaymount()` was given.',
    { cause },
  );
}

function restoreStatements(shown: QueryResultRow | undefined): readonly string[] {
  const texts: string[] = [];
  if (shown?.['our_limit'] != null) texts.push(`SET LOCAL lock_timeout = '${shown['host_limit']}'`);
  if (shown?.['our_style'] != null) texts.push(`SET LOCAL datestyle = '${shown['host_style']}'`);
  return texts;
}
