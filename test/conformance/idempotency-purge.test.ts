import { DispatchHub } from '@paymount/core/events';
import { newId } from '@paymount/core/kernel';
import { createPostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import { knex as createKnex, type Knex } from 'knex';
import { AT } from '../../packages/testing/src/storage/samples.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const KEPT = 60_000;
const OLD = 300;
const BATCH = 30;

describe('the purge of idempotency keys', () => {
  let database: TestDatabase;
  let knex: Knex;
  before(async () => {
    database = await freshDatabase();
    knex = createKnex({ client: 'pg', connection: database.url, pool: { min: 0, max: 1 } });
  });
  after(async () => {
    await knex.destroy();
    await database.drop();
  });

  /** Keys that were made a second apart, all with an answer. */
  const store = (count: number, newest: Date) =>
    knex.raw(
      `INSERT INTO paymount.idempotency_keys
         (account_id, livemode, key, fingerprint, request_id, created, status, body)
       SELECT ?, false, 'key-' || gen_random_uuid(), 'f', 'req_1',
         ?::timestamptz - n * interval '1 second', 200, repeat('x', 500)
       FROM generate_series(1, ?::int) n`,
      [newId('acct'), newest, count],
    );

  /** Rows of the table that statements have looked at so far. */
  const rowsRead = async (): Promise<number> => {
    const { rows } = await knex.raw<{ rows: { read: string }[] }>(
      `SELECT seq_tup_read + idx_tup_fetch AS read FROM pg_stat_user_tables
       WHERE schemaname = 'paymount' AND relname = 'idempotency_keys'`,
    );
    return Number(rows[0]?.read);
  };

  const backends = async (): Promise<number> =>
    (
      await knex('pg_stat_activity')
        .where('application_name', 'paymount')
        .whereRaw('datname = current_database()')
    ).length;

  it(`reads none of ${KEPT} keys that it keeps, even if old ones are among them`, async () => {
    const hourBefore = new Date(AT.getTime() - 3_600_000);
    await store(OLD, hourBefore);
    await store(KEPT / 2, new Date(AT.getTime() + 86_400_000));
    await store(OLD, hourBefore);
    await store(KEPT / 2, new Date(AT.getTime() + 86_400_000));
    await knex.raw('ANALYZE paymount.idempotency_keys');
    const before = await rowsRead();
    const { storage, close } = createPostgresStorage({
      connection: database.url,
      pool: { max: 1 },
      dispatch: new DispatchHub(),
    });
    // More than five times: then the server may plan without looking at the values.
    const purged: number[] = [];
    for (let batch = 0; batch < (2 * OLD) / BATCH + 1; batch += 1)
      purged.push(await storage.idempotency.purge(hourBefore, BATCH));
    expect(purged).to.deep.equal([...Array((2 * OLD) / BATCH).fill(BATCH), 0]);
    // A connection has told its counts when it is gone.
    await close();
    await eventually(async () => (await backends()) === 0);
    // Each is looked at to be found, to be locked and to be deleted.
    expect((await rowsRead()) - before).to.be.within(2 * OLD, 3 * 2 * OLD);
  });
});
