import { expect } from 'chai';
import type { Environment } from 'paymount';
import type { Processor } from 'paymount/processor';
import { startApp, type TestApp } from '../support/app.ts';
import { ofCharges } from '../support/charge-hook.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { conditions } from '../support/conditions.ts';
import { LiveBank } from '../support/live-bank.ts';
import { WatchedBank } from '../support/watched-bank.ts';

const SECOND = 1_000;
const HANGING = 50;
const SALE = { amount: 700, currency: 'eur' };

/** Answers neither charges nor look-ups, until it is told to. */
class HangingBank extends LiveBank {
  lookups = 0;
  readonly #answers = new Set<() => void>();
  #awake = false;

  override authorize(): ReturnType<Processor['authorize']> {
    return Promise.reject(new Error('The bank did not answer.'));
  }

  override lookup(): ReturnType<Processor['lookup']> {
    this.lookups += 1;
    if (this.#awake) return Promise.resolve('not_found');
    return new Promise((resolve) => {
      this.#answers.add(() => resolve('not_found'));
    });
  }

  wake(): void {
    this.#awake = true;
    for (const answer of this.#answers) answer();
  }
}

describe('look-ups at a processor that hangs', () => {
  let app: TestApp;
  let clock: FakeClock;
  let live: HangingBank;
  const settled = conditions(5_000);
  let open = new Set<string>();

  before(async () => {
    clock = fakeClock();
    live = new HangingBank(clock);
    app = await startApp({
      paymount: {
        clock,
        processors: { live, test: new WatchedBank(clock) },
        hook: ofCharges(async (_, { charge }) => {
          open.delete(charge.id);
          settled.check();
        }),
      },
    });
  });
  after(() => app.close());

  const unknown = async (environment: Environment, count: number): Promise<string[]> => {
    const acting = { account: app.account, environment };
    const card = { token: 'tok_timeout_approved' };
    const made: string[] = [];
    for (let each = 0; each < count; each += 1) {
      const { id } = await app.paymount.paymentMethods.create(acting, { type: 'card', card });
      const charge = await app.paymount.charges.create(acting, { ...SALE, payment_method: id });
      expect(charge.status).to.equal('pending');
      made.push(charge.id);
    }
    return made;
  };

  it('delay neither the other environment nor requests', async () => {
    const [first = ''] = await unknown('live', HANGING);
    const made = await unknown('test', 12);
    open = new Set(made);
    clock.advance(61 * SECOND);
    const draining = app.worker.drain();
    await settled.until(
      () => open.size === 0,
      () => `${open.size} of ${made.length} charges are still open`,
    );
    expect(live.lookups).to.be.within(1, HANGING - 1);
    const acting = { account: app.account, environment: 'live' } as const;
    expect((await app.paymount.charges.retrieve(acting, first)).status).to.equal('pending');
    live.wake();
    await draining;
    expect(live.lookups).to.equal(HANGING);
  });
});
