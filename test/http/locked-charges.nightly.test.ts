import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { WatchedBank } from '../support/watched-bank.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const MANY = 12;
/** Each of 12 waits as long as a request would be 36 s. */
const AT_ONCE_MS = 15_000;
type Acting = { readonly account: string; readonly environment: 'live' | 'test' };

const SALE = { amount: 4200, currency: 'eur' };

describe('while a host has locked charges of merchants, for another merchant', function () {
  this.timeout(120_000);
  let app: TestApp;
  let clock: FakeClock;
  let knex: Knex;
  let other: Acting;

  /** @param more a bank; otherwise the sandbox, whose issuer opens disputes */
  const start = async (more: { readonly processors?: { readonly test: WatchedBank } } = {}) => {
    app = await startApp({ paymount: { clock, ...more } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 2 } });
    other = await openAccount();
  };
  beforeEach(() => {
    clock = fakeClock();
  });
  afterEach(async () => {
    await knex.destroy();
    await app.close();
  });

  const openAccount = async (): Promise<Acting> => {
    const shop = { name: 'Other shop', country: 'DE', default_currency: 'eur' };
    return { account: (await app.paymount.accounts.create(shop)).id, environment: 'test' };
  };
  const status = async (id: string): Promise<string> =>
    (await knex('paymount.charges').where({ id }).first('status')).status;

  /** Locks all charges of others while the worker does what is due. @returns how long */
  async function untilOther(
    id: string,
    wanted: string,
    read: (id: string) => Promise<string> = status,
  ): Promise<number> {
    const trx = await knex.transaction();
    await trx('paymount.charges').whereNot({ account_id: other.account }).forUpdate().select('id');
    const startedMs = performance.now();
    const draining = app.worker.drain();
    await eventually(async () => (await read(id)) === wanted, Boolean, 100_000);
    const tookMs = performance.now() - startedMs;
    await trx.rollback();
    await draining;
    return tookMs;
  }

  it('authorizations expire after one wait, not after one for each charge', async () => {
    await start();
    const held = { ...SALE, payment_method: 'pm_card_visa', capture: false };
    for (let made = 0; made < MANY; made += 1) await app.paymount.charges.create(app.acting, held);
    clock.advance(MINUTE);
    const { id } = await app.paymount.charges.create(other, held);
    clock.advance(8 * DAY);
    expect(await untilOther(id, 'failed')).to.be.below(AT_ONCE_MS);
  });

  it('authorizations expire without a wait for each of the merchants', async () => {
    await start();
    const held = { ...SALE, payment_method: 'pm_card_visa', capture: false };
    for (let made = 0; made < MANY; made += 1) {
      await app.paymount.charges.create(await openAccount(), held);
    }
    clock.advance(MINUTE);
    const { id } = await app.paymount.charges.create(other, held);
    clock.advance(8 * DAY);
    expect(await untilOther(id, 'failed')).to.be.below(AT_ONCE_MS);
  });

  it('disputes end without a wait for each of the merchants', async () => {
    await start();
    const sale = { ...SALE, payment_method: 'pm_card_createDispute' };
    const dispute = async (acting: Acting): Promise<void> => {
      await app.paymount.charges.create(acting, sale);
      clock.advance(2 * SECOND);
      await app.worker.drain();
    };
    for (let made = 0; made < MANY; made += 1) await dispute(await openAccount());
    clock.advance(MINUTE);
    await dispute(other);
    const { id } = await knex('paymount.disputes').where({ account_id: other.account }).first('id');
    clock.advance(100 * DAY);
    const read = async () => (await knex('paymount.disputes').where({ id }).first('status')).status;
    expect(await untilOther(id, 'lost', read)).to.be.below(AT_ONCE_MS);
  });

  it('unknown outcomes are looked up after one wait, not after one for each charge', async () => {
    await start({ processors: { test: new WatchedBank(clock) } });
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
