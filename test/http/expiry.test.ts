import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { startApp, type TestApp } from '../support/app.ts';
import { type ChargeResult, ofCharges } from '../support/charge-hook.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** More than one page of them, and what else must not be kept waiting. */
const REFUSED = 110;

describe('authorizations that expire', () => {
  let app: TestApp;
  let clock: FakeClock;
  let knex: Knex;
  /** What the host's hook does; tests replace it. */
  let hook: (settled: ChargeResult) => Promise<void> = async () => undefined;

  before(async () => {
    clock = fakeClock();
    app = await startApp({ paymount: { clock, hook: ofCharges((_, settled) => hook(settled)) } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 2 } });
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });

  const held = async (order: string): Promise<string> => {
    const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa', capture: false };
    return (await app.paymount.charges.create(app.acting, { ...sale, metadata: { order } })).id;
  };
  const statuses = async (ids: readonly string[]): Promise<string[]> =>
    await knex('paymount.charges').whereIn('id', ids).orderBy('capture_before').pluck('status');

  it('expire although a page of older ones is refused by the hook, each asked once a pass', async () => {
    const refused: string[] = [];
    for (let made = 0; made < REFUSED; made += 1) refused.push(await held('refused'));
    clock.advance(MINUTE);
    const others = [await held('other'), await held('other')];
    const asked: string[] = [];
    hook = async ({ charge }) => {
      if (charge.metadata['order'] !== 'refused') return;
      asked.push(charge.id);
      throw new Error('the shop is not ready');
    };
    clock.advance(7 * DAY + MINUTE);
    await app.worker.drain();
    expect(await statuses(others)).to.deep.equal(['failed', 'failed']);
    expect(new Set(await statuses(refused))).to.deep.equal(new Set(['authorized']));
    expect(asked.toSorted()).to.deep.equal(refused.toSorted());
    hook = async () => undefined;
    await app.worker.drain();
    expect(new Set(await statuses(refused))).to.deep.equal(new Set(['failed']));
  });
});
