import { DispatchHub } from '@paymount/core/events';
import { createPostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import pg from 'pg';
import { freshDatabase, query, type TestDatabase } from '../support/database.ts';

const NAME = 'paymount.delivery_attempts_';

/** A pool that runs `before` ahead of the statement that reads the attempts of a day. */
function interruptedPool(url: string, before: () => Promise<unknown>): pg.Pool {
  const pool = new pg.Pool({ connectionString: url });
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (sent: unknown) => Promise<pg.QueryResult>;
    const interrupted = async (sent: unknown): Promise<pg.QueryResult> => {
      if (JSON.stringify(sent).includes('ORDER BY a.started_at')) await before();
      return send(sent);
    };
    Object.assign(client, { query: interrupted });
  });
  return pool;
}

describe('The export of attempts', () => {
  let database: TestDatabase;

  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  it('continues when another run drops the day that it is about to read', async () => {
    const days = () =>
      query<{ name: string }>(
        database.url,
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits
         WHERE inhparent = 'paymount.delivery_attempts'::regclass
           AND inhrelid::regclass::text LIKE '${NAME}2026010%' ORDER BY 1`,
      );
    const pool = interruptedPool(database.url, () =>
      query(database.url, `DROP TABLE IF EXISTS ${NAME}20260101`),
    );
    const postgres = createPostgresStorage({
      connection: pool,
      dispatch: new DispatchHub(),
    });
    try {
      await postgres.deliveries.createPartitions(new Date('2026-01-01T00:00:00Z'), 1);
      const given: unknown[] = [];
      const step = () =>
        postgres.exports.step(
          { table: 'delivery_attempts', before: new Date('2026-01-03T00:00:00Z'), limit: 500 },
          async (rows) => void given.push(...rows),
        );
      expect(await step()).to.deep.equal({ deleted: 0, hasMore: true });
      expect(await days()).to.deep.equal([{ name: `${NAME}20260102` }]);
      expect(await step()).to.include({ deleted: 0, hasMore: true });
      expect(await step()).to.deep.equal({ deleted: 0, hasMore: false });
      expect(await days()).to.deep.equal([]);
      expect(given).to.deep.equal([]);
    } finally {
      await postgres.close();
      await pool.end();
    }
  });
});
