import assert from 'node:assert/strict';
import { Slots } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import type { ClientBase, QueryResult, QueryResultRow } from 'pg';
import { isUnreadable } from './column-types.ts';
import { isRerunnable, isSqlError, translated, unavailable } from './sql-errors.ts';
import type { Query } from './statement.ts';
import { TimeStyles } from './time-style.ts';

const ACQUIRE_LIMIT_MS = 5_000;
/**
 * Lists use at most half of the pool. The number that may wait for a connection, and the time, are
 * limited.
 */
const LISTS = { share: 0.5, waitMs: 1_000, queue: 100 } as const;

/** A pg client in knex's pool; knex does not reuse one that is marked as disposed. */
export type Connection = ClientBase & { __knex__disposed?: unknown };

/**
 * The internals of knex 3's client that we use; no other file in the package uses knex internals.
 */
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

interface ConnectionOptions {
  readonly areOurs: boolean;
  /** How long a call waits for a connection. @defaultValue 5,000 */
  readonly acquireLimitMs?: number;
}

/** Connections of a pool: knex's own, or a `pg.Pool` behind knex. */
export class Connections {
  readonly knex: Knex;
  /** The connections for lists; the rest of the pool is reserved for requests that move money. */
  readonly lists: Slots;
  /** How many connections the pool has. */
  readonly max: number;
  readonly #acquireLimitMs: number;
  readonly #styles: TimeStyles;

  /** @param areOurs whether nobody else uses the connections of the pool */
  constructor(
    knex: Knex,
    max: number,
    { areOurs, acquireLimitMs = ACQUIRE_LIMIT_MS }: ConnectionOptions,
  ) {
    this.#styles = new TimeStyles(areOurs);
    this.knex = knex;
    this.max = max;
    this.lists = new Slots(Math.max(1, Math.floor(max * LISTS.share)), LISTS);
    this.#acquireLimitMs = acquireLimitMs;
  }

  /** Lends a connection to `work`; a broken one is closed instead of going back. */
  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await this.#acquire();
    try {
      await this.#styles.borrow(connection);
      return await work(connection);
    } finally {
      await this.#styles.giveBack(connection);
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
 * @throws the server's error as a code of the error table; RangeError or SyntaxError when a value
 * of the response cannot be parsed. When no response came, the connection is closed first, so that
 * nothing waits for it: `unavailable`, and it is unknown whether the query took effect
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

/** Closes a connection, even if a query is running on it, so that it is not reused. */
export function discard(
  connection: Connection & { end?: () => Promise<void> },
  cause: unknown,
): void {
  connection.__knex__disposed = cause;
  // Destroys the socket if a query is still running. An error during the close does not matter.
  connection.end?.().catch(() => undefined);
}

/** The pg client of a knex transaction. */
export function connectionOf(trx: Knex.Transaction): Promise<Connection> {
  return requireKnexClient(trx).acquireConnection();
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
 * Begins a knex transaction within the open one of `connection`, as a savepoint: knex creates it
 * when its client says that a transaction is already open.
 */
export async function beginNested(
  knex: Knex,
  connection: Connection,
  work: (trx: Knex.Transaction) => Promise<void>,
): Promise<void> {
  const client: unknown = Object.create(requireKnexClient(knex), { transacting: { value: true } });
  assert.ok(isNestable(client), 'This knex has no transactions.');
  await client.transaction(work, { connection });
}
