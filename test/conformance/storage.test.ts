import { describeStorage, storageCases } from '@paymount/testing';
import { expect } from 'chai';
import { knex as createKnex, type Knex } from 'knex';
import { postgresStorage } from 'paymount/storage';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';

/** The suite runs as anybody's would: through paymount/storage and @paymount/testing. */
describe('storage on PostgreSQL, by connection string', () => {
  let database: TestDatabase;
  let host: Knex;

  before(async () => {
    database = await emptyDatabase();
    host = createKnex({ client: 'pg', connection: database.url, pool: { min: 0, max: 2 } });
  });
  after(async () => {
    await host.destroy();
    await database.drop();
  });

  describeStorage(() => postgresStorage({ database: database.url }), {
    hostTransaction: (work) => host.transaction(work),
  });
});

describe('the suite of storage', () => {
  const noAdapter = (): never => {
    throw new Error('No case was to run.');
  };
  const reasons = (suite: Parameters<typeof storageCases>[1]): (string | undefined)[] => [
    ...new Set(storageCases(noAdapter, suite).map(({ leftOut }) => leftOut)),
  ];

  it('names the cases that it skips and why, and runs none of them', async () => {
    const cases = storageCases(noAdapter, { lacks: ['processes', 'access-change-notifications'] });
    const left = cases.filter(({ leftOut }) => leftOut !== undefined);
    expect(left.map(({ needs, leftOut }) => `${needs}: ${leftOut}`)).to.deep.equal([
      'processes: the adapter lacks processes',
      'processes: the adapter lacks processes',
      'access-change-notifications: the adapter lacks access-change-notifications',
      ...Array<string>(6).fill('host-transactions: the fixture hostTransaction is not given'),
    ]);
    for (const { leftOut, run } of left) {
      const failure = await run().catch((error: Error) => error.message);
      expect(failure).to.equal(leftOut);
    }
  });

  it('leaves nothing out of an adapter that lacks nothing', () => {
    expect(reasons({ hostTransaction: async () => undefined })).to.deep.equal([undefined]);
  });

  it('shows what is left out as skipped tests', () => {
    const shown: string[] = [];
    const it = Object.assign(() => undefined, { skip: (name: string) => shown.push(name) });
    const runner = { describe: (_: string, body: () => void) => body(), it };
    describeStorage(
      noAdapter,
      { lacks: ['access-change-notifications'], hostTransaction: async () => {} },
      runner,
    );
    expect(shown).to.deep.equal([
      'notifies every process that has the store open of each change of access (left out: the adapter lacks access-change-notifications)',
    ]);
  });
});

describe('the suite of storage, on adapters that break a promise', () => {
  let database: TestDatabase;

  before(async () => {
    database = await emptyDatabase();
  });
  after(() => database.drop());

  /** Names of the cases that fail on an adapter whose stores were changed. */
  async function complaints(
    wanted: string,
    change: Partial<ReturnType<typeof postgresStorage>>,
  ): Promise<string | undefined> {
    const adapter = { ...postgresStorage({ database: database.url }), ...change };
    const found = storageCases(() => adapter).find(({ name }) => name.startsWith(wanted));
    if (found === undefined) return 'no such case';
    return found.run().then(
      () => 'passed',
      (error: Error) => error.name,
    );
  }

  it('finds one that lacks more than it was said to', async () => {
    expect(await complaints('declares the same missing', {})).to.equal('passed');
    expect(
      await complaints('declares the same missing', { lacks: ['access-change-notifications'] }),
    ).to.equal('AssertionError');
  });

  it('finds one without notifications of deliveries, and one that goes on after it was stopped', async () => {
    const { open } = postgresStorage({ database: database.url });
    const wanted = 'notifies nobody who has stopped listening';
    expect(await complaints(wanted, {})).to.equal('passed');
    const silent: typeof open = (ports) => {
      const { deliveryNotifier: _, ...stores } = open(ports);
      return stores;
    };
    expect(await complaints(wanted, { open: silent })).to.equal('AssertionError');
    const endless: typeof open = (ports) => {
      const { deliveryNotifier, ...stores } = open(ports);
      if (deliveryNotifier === undefined) throw new Error('PostgreSQL has notifications.');
      const listen: typeof deliveryNotifier.listen = (onCommitted) => {
        deliveryNotifier.listen(onCommitted);
        return async () => undefined;
      };
      return { ...stores, deliveryNotifier: { ...deliveryNotifier, listen } };
    };
    expect(await complaints(wanted, { open: endless })).to.equal('AssertionError');
  });

  it('finds one that runs no hook', async () => {
    const { open } = postgresStorage({ database: database.url });
    const wanted = 'calls the hook once';
    expect(await complaints(wanted, {})).to.equal('passed');
    const deaf: typeof open = ({ dispatch, clock, onAccessChange }) =>
      open({ dispatch, clock, onAccessChange });
    expect(await complaints(wanted, { open: deaf })).to.equal('AssertionError');
  });

  it('finds one that records results without the hook that others have', async () => {
    const { open } = postgresStorage({ database: database.url });
    const wanted = 'records no result without the hook';
    expect(await complaints(wanted, {})).to.equal('passed');
    const careless: typeof open = (ports) => open({ hook: async () => undefined, ...ports });
    expect(await complaints(wanted, { open: careless })).to.equal('AssertionError');
    const clocks = 'leaves a clock that waits for the hook';
    expect(await complaints(clocks, {})).to.equal('passed');
    expect(await complaints(clocks, { open: careless })).to.equal('AssertionError');
  });

  it('finds one that lets every racer through', async () => {
    const { open } = postgresStorage({ database: database.url });
    const wanted = 'applies one of 50 updates of one version';
    expect(await complaints(wanted, {})).to.equal('passed');
    const careless: typeof open = (ports) => {
      const stores = open(ports);
      const { storage } = stores;
      const apply: typeof storage.changes.apply = async (change) => {
        await storage.changes.apply(change);
        return 'applied';
      };
      return { ...stores, storage: { ...storage, changes: { apply } } };
    };
    expect(await complaints(wanted, { open: careless })).to.equal('AssertionError');
  });
});
