import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import createKnex from 'knex';
import type { HostTransaction, PgTransaction, TransactionPort } from 'paymount';
import pg from 'pg';
import postgres from 'postgres';
import { DataSource, type EntityManager } from 'typeorm';
import { type OrdersQueries, openOrders } from '../support/prisma/orders-client.ts';
import { ROOT, readPage } from '../support/read-pages.ts';

/** A transaction of the host's, as its library gives it. */
export interface Inside {
  readonly transaction: HostTransaction;
  /** The same, bound anew as another part of the host's code would. */
  again(): HostTransaction;
  /** Runs a statement of the host's in it. */
  execute(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** One library: begins a transaction, commits when `work` returns, rolls back when it throws. */
export interface HostLibrary {
  transaction<Result>(work: (inside: Inside) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

type Row = Readonly<Record<string, unknown>>;
type InTransaction<On, Given extends unknown[]> = <Result>(
  on: On,
  work: (...given: Given) => Promise<Result>,
) => Promise<Result>;

/** The functions that the how-to shows, by the heading that they stand under. */
export interface ShownFunctions {
  get<On, Given extends unknown[]>(heading: string): InTransaction<On, Given>;
  remove(): Promise<void>;
}

/** Writes each `inTransaction` of the page into a module, and loads it. */
export async function loadShownFunctions(): Promise<ShownFunctions> {
  const { text, blocks } = readPage('docs/how-to/join-your-transaction.md');
  const lines = text.split('\n');
  const folder = await mkdtemp(join(tmpdir(), 'paymount-shown-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const found = new Map<string, unknown>();
  for (const { line, code } of blocks) {
    if (!code.includes('function inTransaction')) continue;
    const heading = lines.slice(0, line).findLast((each) => each.startsWith('## ')) ?? '';
    const file = join(folder, `block-${line}.ts`);
    await writeFile(file, code);
    found.set(heading.slice(3), (await import(pathToFileURL(file).href)).inTransaction);
  }
  return {
    get: (heading) => found.get(heading) as never,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Opens a library on a database. */
export type OpenLibrary = (
  databaseUrl: string,
  shown: ShownFunctions,
) => HostLibrary | Promise<HostLibrary>;

/** Every way to join, by the name that tests show. */
export const HOST_LIBRARIES: Readonly<Record<string, OpenLibrary>> = {
  knex: (url) => {
    const knex = createKnex({ client: 'pg', connection: url, pool: { min: 0, max: 4 } });
    return {
      transaction: (work) =>
        knex.transaction((trx) =>
          work({
            transaction: trx,
            again: () => trx,
            execute: async (text) => (await trx.raw(text)).rows,
          }),
        ),
      close: () => knex.destroy(),
    };
  },
  'a pg client of a pool': (url) => {
    const pool = new pg.Pool({ connectionString: url, max: 4 });
    return {
      async transaction(work) {
        const client = await pool.connect();
        try {
          return await onClient(client, work, client);
        } finally {
          client.release();
        }
      },
      close: () => pool.end(),
    };
  },
  'a pg client': (url) => ({
    async transaction(work) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return await onClient(client, work, client);
      } finally {
        await client.end();
      }
    },
    close: async () => undefined,
  }),
  Drizzle: (url, shown) => {
    const pool = new pg.Pool({ connectionString: url, max: 4 });
    const inTransaction = shown.get<pg.Pool, [NodePgDatabase, PgTransaction]>('Drizzle');
    return {
      transaction: (work) =>
        inTransaction(pool, (tx, client) =>
          work({
            transaction: client,
            again: () => client,
            execute: async (text) => (await tx.execute(sql.raw(text))).rows,
          }),
        ),
      close: () => pool.end(),
    };
  },
  TypeORM: async (url, shown) => {
    const source = new DataSource({ type: 'postgres', url, poolSize: 4 });
    await source.initialize();
    const inTransaction = shown.get<DataSource, [EntityManager, PgTransaction]>('TypeORM');
    return {
      transaction: (work) =>
        inTransaction(source, (manager, client) =>
          work({
            transaction: client,
            again: () => client,
            execute: async (text) => rowsIn(await manager.query(text)),
          }),
        ),
      close: () => source.destroy(),
    };
  },
  Prisma: (url, shown) => {
    const prisma = openOrders(url);
    const inTransaction = shown.get<typeof prisma, [OrdersQueries, TransactionPort]>('Prisma');
    return {
      transaction: (work) =>
        inTransaction(prisma, (tx, port) =>
          work({
            transaction: port,
            again: () => ({ ...port }),
            execute: async (text) => rowsIn(await tx.$queryRawUnsafe(text)),
          }),
        ),
      close: () => prisma.$disconnect(),
    };
  },
  'postgres.js': (url, shown) => {
    const connections = postgres(url, { max: 4, onnotice: () => undefined });
    const inTransaction = shown.get<postgres.Sql, [postgres.TransactionSql, TransactionPort]>(
      'Any other library',
    );
    return {
      transaction: (work) =>
        inTransaction(connections, (tx, port) =>
          work({
            transaction: port,
            again: () => ({ ...port }),
            execute: async (text) => [...(await tx.unsafe(text))],
          }),
        ),
      close: () => connections.end(),
    };
  },
  'a port that tells no end': (url) => {
    const pool = new pg.Pool({ connectionString: url, max: 4 });
    const portOf = (client: pg.PoolClient): TransactionPort => ({
      query: (text, values) => client.query(text, [...values]),
      onEnd: null,
    });
    return {
      async transaction(work) {
        const client = await pool.connect();
        try {
          return await onClient(client, work, portOf(client), () => portOf(client));
        } finally {
          client.release();
        }
      },
      close: () => pool.end(),
    };
  },
};

async function onClient<Result>(
  client: pg.Client,
  work: (inside: Inside) => Promise<Result>,
  transaction: HostTransaction,
  again: () => HostTransaction = () => transaction,
): Promise<Result> {
  await client.query('BEGIN');
  try {
    const execute = async (text: string): Promise<Row[]> => (await client.query<Row>(text)).rows;
    const result = await work({ transaction, again, execute });
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

function rowsIn(answer: unknown): readonly Row[] {
  return Array.isArray(answer) ? (answer as Row[]) : [];
}
