import { expect } from 'chai';
import type { Context } from 'mocha';
import type { PaymountOptions } from 'paymount';
import { startApp } from '../support/app.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { startError } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';
import { type Pgbouncer, startPgbouncer } from './pgbouncer.ts';

const EXHAUSTED =
  'DatabaseError: The database accepted the connection and then did not respond. If a pooler such as ' +
  'PgBouncer stands between, its pool may be exhausted: in session mode each process needs ' +
  '`poolSize` + 3 connections.';
const IN_TRANSACTION_MODE =
  'DatabaseError: A pooler lends connections to this database by the transaction, as PgBouncer ' +
  'does in transaction mode. Pass `preparedStatements: false`, and `directUrl` with an address ' +
  'that goes past the pooler.';

describe('PgBouncer in transaction mode', () => {
  const sealingKeys = makeSealingKeys();
  let database: TestDatabase;
  const poolers: Pgbouncer[] = [];
  /** As it comes, and told to overlook a parameter that it does not know. */
  let pooled: string;
  let lenient: string;

  before(async function () {
    database = await freshDatabase();
    for (const settings of [[], ['ignore_startup_parameters = statement_timeout']]) {
      poolers.push(await startPgbouncer(this, database.url, settings));
    }
    [pooled = '', lenient = ''] = poolers.map(({ url }) => url);
  });
  after(async () => {
    for (const pooler of poolers) await pooler.stop();
    await database.drop();
  });

  const start = async (options: PaymountOptions): Promise<string> =>
    String((await startError({ sealingKeys, ...options })) ?? 'started');

  it('is recognised when its option is missing', async () => {
    for (const url of [pooled, lenient]) {
      expect(await start({ database: url })).to.equal(IN_TRANSACTION_MODE);
      expect(await start({ database: url, directUrl: database.url })).to.equal(IN_TRANSACTION_MODE);
    }
  });

  it('is recognised behind `directUrl`, which must go past it', async () => {
    const options = { database: database.url, preparedStatements: false };
    expect(await start({ ...options, directUrl: lenient })).to.equal(IN_TRANSACTION_MODE);
    expect(await start({ ...options, directUrl: pooled })).to.equal(
      'DatabaseError: A pooler refuses how key look-ups connect (08P01). Pass `directUrl` with an ' +
        'address that goes past the pooler, or `preparedStatements: false`.',
    );
  });

  it('is fine with its option', async () => {
    for (const url of [pooled, lenient]) {
      const options = { database: url, preparedStatements: false };
      expect(await start(options)).to.equal('started');
      expect(await start({ ...options, migrate: true })).to.equal('started');
      expect(await start({ ...options, directUrl: database.url })).to.equal('started');
    }
    expect(await start({ database: database.url })).to.equal('started');
  });
});

describe('PgBouncer in session mode', function () {
  // A start that waits for a connection gives up after 5 s.
  this.timeout(60_000);
  const sealingKeys = makeSealingKeys();
  let database: TestDatabase;

  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  /** A pooler with so many connections to the server. */
  function startPool(test: Context, size: number): Promise<Pgbouncer> {
    return startPgbouncer(test, database.url, [
      'pool_mode = session',
      `default_pool_size = ${size}`,
      'ignore_startup_parameters = statement_timeout',
    ]);
  }

  it('is named as a possible cause when its pool is too small', async function () {
    for (const size of [2, 4]) {
      const pooler = await startPool(this, size);
      try {
        const error = await startError({ database: pooler.url, sealingKeys });
        expect(String(error), `a pool of ${size}`).to.equal(EXHAUSTED);
      } finally {
        await pooler.stop();
      }
    }
  });

  it('serves a process, its worker included, with `poolSize` + 3 connections', async function () {
    const pooler = await startPool(this, 5);
    const app = await startApp({
      paymount: { database: pooler.url, poolSize: 2 },
    });
    try {
      const authorization = `Bearer ${app.secretKey}`;
      const asked = Array.from({ length: 20 }, () =>
        fetch(`${app.url}/v1/charges`, { headers: { authorization } }),
      );
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
    } finally {
      await app.close();
      await pooler.stop();
    }
  });
});
