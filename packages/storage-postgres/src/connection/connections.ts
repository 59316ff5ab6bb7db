import assert from 'node:assert/strict';
import { Slots } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import type { Connection } from './send.ts';
import { unavailable } from './sql-errors.ts';
import { TimeStyles } from './time-style.ts';

const ACQUIRE_LIMIT_MS = 5_000;
/**
 * Lists use at most half of the pool. The number that may wait for a connection, and the time, are
 * limited.
 */
const LISTS = { share: 0.5, waitMs: 1_000, queue: 100 } as const;

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
