import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { WatchedBank } from '../support/watched-bank.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MANY = 12;
type Acting = { readonly account: string; readonly environment: 'live' | 'test' };

const SALE = { amount: 4200, currency: 'eur' };

describe('while a host has locked charges of one merchant, for another merchant', function () {
  this.timeout(120_000);
  let app: TestApp;
  let clock: FakeClock;
  let knex: Knex;
  let other: Acting;

  beforeEach(async () => {
    clock = fakeClock();
    app = await startApp({ paymount: { clock, processors: { test: new WatchedBank(clock) } } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 2 } });
    const { id } = await app.paymount.accounts.create({
      name: 'Other shop',
      country: 'DE',
      default_currency: 'eur',
    });
    other = { account: id, environment: 'test' };
  });
  afterEach(async () => {
    await knex.destroy();
    await app.close();
  });

  const status = async (id: string): Promise<string> =>
    (await knex('paymount.charges').where({ id }).first('status')).status;

  /** Locks all charges of the app's merchant while the worker does what is due. @returns how long */
  async function untilOther(id: string, wanted: string): Promise<number> {
    const trx = await knex.transaction();
    await trx('paymount.charges').where({ account_id: app.account }).forUpdate().select('id');
    const startedMs = performance.now();
    const draining = app.worker.drain();
    await eventually(async () => (await status(id)) === wanted, Boolean, 100_000);
    const tookMs = performance.now() - startedMs;
    await trx.rollback();
    await draining;
    return tookMs;
  }

  it('authorizations expire after one wait, not after one for each charge', async () => {
    const held = { ...SALE, payment_method: 'pm_card_visa', capture: false };
    for (let made = 0; made < MANY; made += 1) await app.paymount.charges.create(app.acting, held);
    clock.advance(MINUTE);
    const { id } = await app.paymount.charges.create(other, held);
    clock.advance(8 * DAY);
    expect(await untilOther(id, 'failed')).to.be.below(15_000);
  });

  it('unknown outcomes are looked up after one wait, not after one for each charge', async () => {
    const card = { token: 'tok_timeout_approved' };
    const charge = async (acting: Acting): Promise<string> => {
      const method = await app.paymount.paymentMethods.create(acting, { type: 'card', card });
      const sale = { ...SALE, payment_method: method.id };
      return (await app.paymount.charges.create(acting, sale)).id;
    };
    for (let made = 0; made < MANY; made += 1) await charge(app.acting);
    clock.advance(2_000);
    const id = await charge(other);
    clock.advance(61_000);
    expect(await untilOther(id, 'succeeded')).to.be.below(20_000);
  });
});
