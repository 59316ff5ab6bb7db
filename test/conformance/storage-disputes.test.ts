import type { Dispute, DisputeRepository } from '@paymount/core/payments';
import { storageCases } from '@paymount/testing';
import { expect } from 'chai';
import { postgresStorage, type StorageAdapter } from 'paymount/storage';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';

/** What an adapter does instead of what it must. */
type Broken = (rows: DisputeRepository) => Partial<DisputeRepository>;

/** Changes disputes on their way to the reader. */
function shown(change: (dispute: Dispute) => Dispute): Broken {
  return ({ find }) => ({
    async find(owner, id) {
      const dispute = await find(owner, id);
      return dispute && change(dispute);
    },
  });
}

const unfiltered =
  (name: 'chargeId' | 'status' | 'dueBy' | 'created'): Broken =>
  ({ list }) => ({
    list: (owner, { [name]: _, ...filter }, page) => list(owner, filter, page),
  });

/** What was locked last. */
let locked: Dispute | undefined;

/** Adapters with one mistake each, and the beginning of the case that finds it. */
const MISTAKES: Record<string, [Broken, found: string]> = {
  'forgets what a dispute was as an alert': [
    shown(({ alert: _, ...dispute }) => dispute as Dispute),
    'keeps every field of a dispute',
  ],
  'forgets the fee of a chargeback': [
    shown((dispute) =>
      'debit' in dispute ? { ...dispute, debit: { ...dispute.debit, fee: 0 } } : dispute,
    ),
    'keeps every field of a dispute',
  ],
  'shows disputes to everybody who locks them': [
    ({ findForUpdate }) => ({
      async findForUpdate(owner, id) {
        locked = (await findForUpdate(owner, id)) ?? locked;
        return locked;
      },
    }),
    'shows a dispute to its owner only',
  ],
  'returns the oldest dispute of a charge first': [
    ({ ofCharge }) => ({
      ofCharge: async (owner, id) => (await ofCharge(owner, id)).toReversed(),
    }),
    'returns all disputes of a charge',
  ],
  'returns the open disputes of a charge only': [
    ({ ofCharge }) => ({
      ofCharge: async (owner, id) =>
        (await ofCharge(owner, id)).filter(({ status }) => status === 'warning_needs_response'),
    }),
    'returns all disputes of a charge',
  ],
  'finds references of test in live': [
    ({ findByReference }) => ({
      findByReference: ({ processor }, reference) =>
        findByReference({ environment: 'test', processor }, reference),
    }),
    'finds a dispute by its reference',
  ],
  'forgets the reference of an alert': [
    ({ findByReference }) => ({
      async findByReference(at, reference) {
        const found = await findByReference(at, reference);
        return found?.processorReference === reference ? found : undefined;
      },
    }),
    'finds a chargeback by the reference of its alert',
  ],
  'lists disputes of all charges': [unfiltered('chargeId'), 'lists disputes by charge'],
  'lists disputes of every status': [unfiltered('status'), 'lists disputes by charge'],
  'lists disputes of any due time': [unfiltered('dueBy'), 'lists disputes by charge'],
  'lists disputes of any time': [unfiltered('created'), 'lists disputes by charge'],
  'takes the cursor of everybody': [
    ({ list }) => ({
      list: (owner, filter, page) =>
        list(owner, filter, page).catch(() => ({ data: [], hasMore: false })),
    }),
    'lists disputes in pages',
  ],
  'says that each page is the last one': [
    ({ list }) => ({
      list: async (...asked) => ({ ...(await list(...asked)), hasMore: false }),
    }),
    'lists disputes in pages',
  ],
  'finds due disputes in any order': [
    ({ findDue }) => ({ findDue: async (...asked) => (await findDue(...asked)).toReversed() }),
    'finds disputes whose time has passed',
  ],
  'finds due disputes from the start on each page': [
    ({ findDue }) => ({ findDue: (now, limit, _, clock) => findDue(now, limit, undefined, clock) }),
    'finds disputes whose time has passed',
  ],
  'finds due disputes of no clock on each clock': [
    ({ findDue }) => ({ findDue: (now, limit, after) => findDue(now, limit, after) }),
    'finds due disputes on a test clock',
  ],
};

describe('the cases of storage for disputes', () => {
  let database: TestDatabase;

  before(async () => {
    database = await emptyDatabase();
  });
  after(() => database.drop());

  const run = async (wanted: string, broken: Broken, isRaced = false): Promise<string> => {
    const adapter = postgresStorage({ database: database.url });
    const open: StorageAdapter['open'] = (ports) => {
      const stores = adapter.open(ports);
      const { storage } = stores;
      const apply: typeof storage.changes.apply = (change) =>
        storage.changes.apply(change).then(
          () => 'applied',
          () => 'applied',
        );
      const changes = isRaced ? { apply } : storage.changes;
      const breaking = (rows: DisputeRepository) => ({ ...rows, ...broken(rows) });
      const transaction: typeof storage.transaction = (work) =>
        storage.transaction((rows) => work({ ...rows, disputes: breaking(rows.disputes) }));
      const disputes = breaking(storage.read.disputes as DisputeRepository);
      const read = { ...storage.read, disputes };
      return { ...stores, storage: { ...storage, changes, transaction, read } };
    };
    const found = storageCases(() => ({ ...adapter, open })).find(({ name }) =>
      name.startsWith(wanted),
    );
    if (found === undefined) return 'no such case';
    return found.run().then(
      () => 'passed',
      (error: Error) => error.name,
    );
  };

  for (const [mistake, [broken, found]] of Object.entries(MISTAKES)) {
    it(`find an adapter that ${mistake}`, async () => {
      expect(await run(found, () => ({}))).to.equal('passed');
      expect(await run(found, broken)).to.equal('AssertionError');
    });
  }

  it('find an adapter that lets every racer through', async () => {
    for (const wanted of [
      'opens one of 50 disputes with one reference',
      'opens one of 50 disputes of a charge',
      'applies one of 50 rulings',
    ]) {
      expect(await run(wanted, () => ({}))).to.equal('passed');
      expect(await run(wanted, () => ({}), true)).to.equal('AssertionError');
    }
  });
});
