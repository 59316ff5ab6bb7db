import { expect } from 'chai';
import { createPaymount, type PaymountOptions } from 'paymount';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { makeSealingKeys } from '../support/make.ts';
import { type Pgbouncer, startPgbouncer } from '../support/pgbouncer.ts';

const LOGGER = { debug() {}, info() {}, warn() {}, error() {} };
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

  async function start(options: PaymountOptions): Promise<string> {
    try {
      const paymount = await createPaymount({ logger: LOGGER, sealingKeys, ...options });
      await paymount.close();
      return 'started';
    } catch (error) {
      return String(error);
    }
  }

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
