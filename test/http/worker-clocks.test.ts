import { expect } from 'chai';
import type { Processor } from 'paymount/processor';
import { startWorker, type Worker } from 'paymount/worker';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { WatchedBank } from '../support/watched-bank.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SALE = { amount: 700, currency: 'eur', source: 'tok_visa' };

type Found = Awaited<ReturnType<Processor['lookup']>>;

/** Never answers a charge, and says of it what the test wants. */
class DoubtfulBank extends WatchedBank {
  /** What a look-up finds. */
  found: () => Found = () => 'not_found';
  /** What a charge is answered with, in place of silence. */
  answer: (() => Exclude<Found, 'not_found'>) | undefined;

  override async authorize(
    operation: Parameters<Processor['authorize']>[0],
  ): ReturnType<Processor['authorize']> {
    const { operationId, amount, currency, reference } = operation;
    this.calls.push({ kind: 'authorize', operationId, amount, currency, reference });
    if (this.answer) return this.answer();
    throw new Error('The bank did not answer.');
  }

  override lookup(...[operationId]: Parameters<Processor['lookup']>): Promise<Found> {
    this.calls.push({ kind: 'lookup', operationId });
    return Promise.resolve(this.found());
  }
}

/** The clock of a machine that is wrong by so much; database time knows nothing of that. */
function wrongBy(ms: number, clock: FakeClock): FakeClock {
  return {
    ...clock,
    now: () => new Date(clock.now().getTime() + ms),
    get shiftMs() {
      return clock.shiftMs;
    },
  };
}

/** Two processes on one database, one of whose clocks is ten minutes off. */
for (const [name, wrongMs] of [
  ['ahead', 10 * MINUTE],
  ['behind', -10 * MINUTE],
] as const) {
  describe(`workers, one of whose clocks is ten minutes ${name}`, () => {
    let app: TestApp;
    let other: TestHost;
    let worker: Worker;
    let clock: FakeClock;
    let bank: DoubtfulBank;

    before(async () => {
      clock = fakeClock();
      bank = new DoubtfulBank(clock);
      const processors = { test: bank };
      app = await startApp({ paymount: { processors, clock } });
      other = await startHost(app, { paymount: { processors, clock: wrongBy(wrongMs, clock) } });
      worker = await startWorker(other.paymount);
    });
    after(async () => {
      await worker.close();
      await other.close();
      await app.close();
    });
    beforeEach(() => {
      bank.calls.length = 0;
      bank.answer = undefined;
      bank.found = () => 'not_found';
    });

    /** Time passes, and both do what they think is due. @returns what the bank was asked so far */
    const pass = async (ms: number): Promise<string[]> => {
      clock.advance(ms);
      await worker.drain();
      await app.worker.drain();
      return bank.calls.map(({ kind }) => kind);
    };

    for (const writer of ['right', 'wrong'] as const) {
      it(`ask as late as they should about a charge of the one with the ${writer} clock`, async () => {
        const { paymount } = writer === 'right' ? app : other;
        const charge = await paymount.charges.create(app.acting, SALE);
        expect(charge.status).to.equal('pending');
        expect(await pass(5 * SECOND)).to.deep.equal(['authorize']);
        expect(await pass(6 * SECOND)).to.deep.equal(['authorize', 'lookup']);
        // Not found once: it counts twice only when five minutes lie in between.
        expect(await pass(4 * MINUTE)).to.deep.equal(['authorize', 'lookup']);
        expect(await pass(61 * SECOND)).to.deep.equal([
          'authorize',
          'lookup',
          'lookup',
          'authorize',
        ]);
        // Submitted again: the wait after a silence is ten seconds, whoever kept it.
        expect(await pass(5 * SECOND)).to.have.length(4);
        const { amount, currency } = SALE;
        const processorReference = 'bank_1';
        bank.found = () => ({ outcome: 'approved', processorReference, amount, currency });
        await pass(2 * MINUTE);
        expect((await app.paymount.charges.retrieve(app.acting, charge.id)).status).to.equal(
          'succeeded',
        );
      });

      it(`wait as long as the bank asked the one with the ${writer} clock to`, async () => {
        const expectedBy = new Date(clock.now().getTime() + 5 * MINUTE).toISOString();
        const processorReference = 'bank_2';
        const pending = { outcome: 'pending', processorReference, expectedBy } as const;
        bank.answer = () => pending;
        bank.found = () => pending;
        const { paymount } = writer === 'right' ? app : other;
        const charge = await paymount.charges.create(app.acting, SALE);
        expect(await pass(4 * MINUTE)).to.deep.equal(['authorize']);
        const { amount, currency } = SALE;
        bank.found = () => ({ outcome: 'approved', processorReference, amount, currency });
        expect(await pass(61 * SECOND)).to.deep.equal(['authorize', 'lookup']);
        expect((await app.paymount.charges.retrieve(app.acting, charge.id)).status).to.equal(
          'succeeded',
        );
      });
    }
  });
}
