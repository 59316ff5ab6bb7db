import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { BANK, PaidOut } from '../support/paid-out.ts';

const DAY_MS = 86_400_000;
const refusal = ({ status, error }: Reply) => [status, error['code'], error['message']];

describe('A currency', () => {
  let app: TestApp;
  let clock: FakeClock;
  let shop: PaidOut;
  before(async () => {
    // Of the Caribbean guilder and its predecessor, the last second before the change.
    clock = fakeClock('2025-03-30T23:59:59.000Z');
    app = await startApp({ paymount: { clock } });
    shop = new PaidOut(app, clock);
  });
  after(() => app.close());

  const charge = (currency: string) =>
    shop.post('/v1/charges', { amount: 10_000, currency, payment_method: 'pm_card_bypassPending' });
  const newShop = (currency: string) =>
    app.paymount.accounts
      .create({ name: 'Shop', country: 'CW', default_currency: currency })
      .then(({ default_currency: taken }) => taken)
      .catch(({ message }: Error) => message);

  it('takes new money from the day on which it comes into force until it is withdrawn', async () => {
    const old = await charge('ang');
    expect(old.status, old.text).to.equal(200);
    expect(refusal(await charge('xcg'))).to.deep.equal([
      400,
      'invalid_currency',
      'xcg is in force from 2025-03-31 on.',
    ]);
    expect([await newShop('ang'), await newShop('xcg')]).to.deep.equal([
      'ang',
      'xcg is in force from 2025-03-31 on.',
    ]);
    clock.advance(1_000);
    const withdrawn = 'ang was withdrawn from ISO 4217 on 2025-03-31; use xcg.';
    expect(refusal(await charge('ANG'))).to.deep.equal([400, 'invalid_currency', withdrawn]);
    expect((await charge('xcg')).status).to.equal(200);
    expect([await newShop('ang'), await newShop('xcg')]).to.deep.equal([withdrawn, 'xcg']);
    expect(refusal(await charge('cuc'))[2]).to.include('use cup');
    expect((await charge('bgn')).status).to.equal(200);
    clock.advance(Date.parse('2026-01-01T00:00:00Z') - clock.now().getTime());
    expect(refusal(await charge('bgn'))[2]).to.equal(
      'bgn was withdrawn from ISO 4217 on 2026-01-01; use eur.',
    );
    expect(refusal(await charge('xau'))[2]).to.equal(
      'A currency is an ISO 4217 code, such as eur.',
    );
    expect(refusal(await charge('xad'))[1]).to.equal('invalid_currency');
  });

  it('shows, refunds and pays out the money that is in it after it was withdrawn', async () => {
    const { json } = await ask(`${app.url}/v1/charges`, { key: app.secretKey });
    const charges = json['data'] as readonly { readonly id: string; readonly currency: string }[];
    const old = charges.find(({ currency }) => currency === 'ang');
    const refund = await shop.post('/v1/refunds', { charge: old?.id, amount: 4_000 });
    expect([refund.status, refund.json['currency']], refund.text).to.deep.equal([200, 'ang']);
    await shop.pass(3 * DAY_MS);
    const balance = await ask(`${app.url}/v1/balance`, { key: app.secretKey });
    const [first] = balance.json['available'] as readonly object[];
    expect(first).to.include({ amount: 6_000, currency: 'ang' });
    await shop.addBank(BANK.account_number, {
      external_account: { ...BANK, currency: 'ang' },
    });
    const payout = await shop.post('/v1/payouts', { amount: 6_000, currency: 'ang' });
    expect(payout.status, payout.text).to.equal(200);
    const query = '/v1/balance_transactions?currency=ang';
    const listed = await ask(app.url + query, { key: app.secretKey });
    expect(listed.json['data']).to.have.length(3);
    expect(await app.paymount.verify()).to.deep.equal([]);
  });
});
