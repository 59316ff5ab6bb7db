import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import type { ClientBase, QueryResult, QueryResultRow } from 'pg';
import type { HookStatements, HookTransaction } from './hook-transaction.ts';
import { isUnreadable } from './shared/column-types.ts';
import { Slots } from './shared/slots.ts';
import { isRerunnable, isSqlError, translated, unavailable } from './shared/sql-errors.ts';
import type { Query } from './shared/statement.ts';

const ACQUIRE_LIMIT_MS = 5_000;
/** Lists take half of the pool at most, and wait for their turn for so long, and so many. */
const LISTS = { share: 0.5, waitMs: 1_000, queue: 100 } as const;

/** A pg client as knex pools it: a mark on it keeps it from being handed out again. */
export type Connection = ClientBase & { __knex__disposed?: unknown };

/** What we lean on of knex 3's client; nothing else in the package reaches into knex. */
interface KnexClient {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
}

function requireKnexClient(knex: { readonly client: unknown }): KnexClient {
  if (isKnexClient(knex.client)) return knex.client;
  throw new TypeError('This is no knex 3 instance with a pool.');
}

function isKnexClient(value: unknown): value is KnexClient {
  return typeof value === 'object' && value !== null && 'acquireConnection' in value;
}

/** Connections of a pool: knex's own, or a `pg.Pool` behind knex. */
export class Connections {
  readonly knex: Knex;
  /** What reads pages; the rest of the pool is for what moves money. */
  readonly lists: Slots;
  /** How many connections the pool has. */
  readonly max: number;
  readonly #acquireLimitMs: number;

  constructor(knex: Knex, max: number, acquireLimitMs = ACQUIRE_LIMIT_MS) {
    this.knex = knex;
    this.max = max;
    this.lists = new Slots(Math.max(1, Math.floor(max * LISTS.share)), LISTS);
    this.#acquireLimitMs = acquireLimitMs;
  }

  /** Lends a connection to `work`; a broken one is closed instead of going back. */
  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await this.#acquire();
    try {
      return await work(connection);
    } finally {
      await requireKnexClient(this.knex).releaseConnection(connection);
    }
  }

  /** @throws `unavailable` after the limit: knex waits 60 s by default, pg for ever. */
  #acquire(): Promise<Connection> {
    const client = requireKnexClient(this.knex);
    const limitMs = this.#acquireLimitMs;
    return new Promise((resolve, reject) => {
      let waiting = true;
      const timer = setTimeout(() => {
        waiting = false;
        reject(unavailable(new Error(`No connection within ${limitMs} ms`)));
      }, limitMs);
      client.acquireConnection().then(
        (connection) => {
          if (!waiting) return void client.releaseConnection(connection);
          clearTimeout(timer);
          resolve(connection);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(unavailable(error));
        },
      );
    });
  }
}

/**
 * Sends one query.
 * @throws the server's refusal in the words of the error table; RangeError or SyntaxError when a
 *   value of the answer cannot be read. When no answer came the
 *   connection is closed first, so that nothing is left waiting on it: `unavailable`, and whether
 *   the query took effect is unknown
 */
export async function send<Row extends QueryResultRow>(
  connection: Connection,
  query: Query,
): Promise<QueryResult<Row>> {
  try {
    return await connection.query<Row>(query);
  } catch (error) {
    if (isUnreadable(error)) throw error;
    if (!isSqlError(error)) discard(connection, error);
    throw isRerunnable(error) ? error : translated(error);
  }
}

/** Closes a connection, whatever runs on it, so that nobody gets it again. */
export function discard(
  connection: Connection & { end?: () => Promise<void> },
  cause: unknown,
): void {
  connection.__knex__disposed = cause;
  // Cuts the socket when a query is still running; a failure to say goodbye changes nothing.
  connection.end?.().catch(() => undefined);
}

/** The pg client of a knex transaction. */
export function connectionOf(trx: Knex.Transaction): Promise<Connection> {
  return requireKnexClient(trx).acquireConnection();
}

/**
 * Runs `then` when the outermost transaction has settled, either way: the `executionPromise` of a
 * nested one settles at its savepoint already.
 */
export function whenSettled(trx: Knex.Transaction, then: () => void): void {
  let outermost = trx;
  while (outermost.parentTransaction) outermost = outermost.parentTransaction;
  outermost.executionPromise.then(then, then);
}

interface Nestable {
  transaction(
    work: (trx: Knex.Transaction) => Promise<void>,
    config: { readonly connection: Connection },
  ): PromiseLike<void>;
}

function isNestable(client: unknown): client is Nestable {
  return typeof client === 'object' && client !== null && 'transaction' in client;
}

/**
 * A knex transaction inside the open one of `connection`, as a savepoint: what knex makes when
 * its client says that a transaction is open already.
 * @param parent the open one, or what settles with it
 */
export async function nestedTransaction(
  knex: Knex,
  connection: Connection,
  parent: { readonly executionPromise: Promise<unknown> },
  work: (trx: HookTransaction) => Promise<void>,
): Promise<void> {
  const client: unknown = Object.create(requireKnexClient(knex), { transacting: { value: true } });
  assert.ok(isNestable(client), 'This knex has no transactions.');
  await client.transaction(
    (trx) => {
      const { query } = toHookStatements(trx, connection);
      return work(Object.assign(trx, { parentTransaction: parent, query }));
    },
    { connection },
  );
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
