import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { PaidOut } from '../support/paid-out.ts';

const DAY = 86_400_000;

type Json = Readonly<Record<string, unknown>>;

describe('Adjustments of a balance', () => {
  let app: AdminApp;
  let clock: FakeClock;
  let shop: PaidOut;

  beforeEach(async () => {
    clock = fakeClock('2026-11-21T12:00:00.000Z');
    app = await startAdminApp({ clock, paymount: { refundOverdraft: 5_000 } });
    shop = new PaidOut(app, clock);
  });
  afterEach(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
    await app.close();
  });

  const get = (path: string) => ask(`${app.url}${path}`, { key: app.secretKey });
  const adjust = (kind: string, amount: number, headers: Record<string, string> = {}) =>
    app.admin('/adjustments', {
      headers,
      body: {
        account: app.account,
        livemode: false,
        kind,
        amount,
        currency: 'eur',
        reason: ' Chargebacks are expected. ',
      },
    });
  const balance = async (): Promise<Json> => {
    const { json } = await get('/v1/balance');
    const of = (pool: string) => (json[pool] as { amount: number }[])[0]?.amount;
    return { available: of('available'), reserved: of('reserved') };
  };
  const refused = ({ status, error }: Reply) => [status, error['code'], error['param']];

  it('reserve available funds, and release them', async () => {
    await shop.earn(10_000);
    const reserved = await adjust('reserve', 4_000);
    expect(reserved.status, reserved.text).to.equal(200);
    const { id, created, balance_transaction: line, ...rest } = reserved.json;
    expect(String(id)).to.match(/^adj_/);
    expect(created).to.equal(clock.now().toISOString());
    expect(rest).to.deep.equal({
      object: 'adjustment',
      account: app.account,
      livemode: false,
      kind: 'reserve',
      amount: 4_000,
      currency: 'eur',
      reason: 'Chargebacks are expected.',
    });
    expect(await balance()).to.deep.equal({ available: 6_000, reserved: 4_000 });
    const shown = await get(`/v1/balance_transactions/${line}`);
    expect(shown.json).to.include({
      type: 'adjustment',
      amount: -4_000,
      net: -4_000,
      fee: 0,
      source: id,
      status: 'available',
    });
    const released = await adjust('release', 1_500);
    expect(await balance()).to.deep.equal({ available: 7_500, reserved: 2_500 });
    const list = await get('/v1/balance_transactions?type=adjustment');
    expect((list.json['data'] as Json[]).map(({ net, source }) => [net, source])).to.deep.equal([
      [1_500, released.json['id']],
      [-4_000, id],
    ]);
    const audit = await app.admin('/audit?action=adjustment.create');
    expect((audit.json['data'] as Json[])[1]).to.deep.include({
      target: id,
      after: {
        kind: 'reserve',
        amount: 4_000,
        currency: 'eur',
        balance_transaction: line,
        reason: 'Chargebacks are expected.',
      },
    });
  });

  it('refuse more than there is, and change nothing then', async () => {
    await shop.earn(1_000);
    const insufficient = [400, 'balance_insufficient', 'amount'];
    expect(refused(await adjust('reserve', 1_001))).to.deep.equal(insufficient);
    expect(refused(await adjust('release', 1))).to.deep.equal(insufficient);
    expect(refused(await adjust('write_off', 1))).to.deep.equal(insufficient);
    expect((await adjust('write_off', 1)).error['message']).to.equal(
      '0.00 EUR are owed; the write_off is 0.01 EUR.',
    );
    expect(await balance()).to.deep.equal({ available: 1_000, reserved: 0 });
  });

  it('write off a debt, and no more', async () => {
    const sale = { amount: 5_000, currency: 'eur', payment_method: 'pm_card_visa' };
    const { id } = await app.paymount.charges.create(app.acting, sale);
    await shop.pass(3 * DAY);
    await shop.addBank();
    await shop.post('/v1/payouts', { amount: 3_000, currency: 'eur' });
    await shop.post('/v1/refunds', { charge: id });
    expect(await balance()).to.deep.equal({ available: -3_000, reserved: 0 });
    expect(refused(await adjust('write_off', 3_001))[1]).to.equal('balance_insufficient');
    expect((await adjust('write_off', 3_000)).json).to.include({ kind: 'write_off' });
    expect(await balance()).to.deep.equal({ available: 0, reserved: 0 });
    await shop.settle();
  });

  it('happen once for one idempotency key', async () => {
    await shop.earn(1_000);
    const headers = { 'Idempotency-Key': 'reserve-1' };
    const first = await adjust('reserve', 100, headers);
    const second = await adjust('reserve', 100, headers);
    expect(second.text).to.equal(first.text);
    expect(second.headers['idempotent-replayed']).to.equal('true');
    expect(await balance()).to.deep.equal({ available: 900, reserved: 100 });
  });

  it('never reserve more than is available, however many ask at once', async () => {
    await shop.earn(1_000);
    const answers = await Promise.all(Array.from({ length: 12 }, () => adjust('reserve', 150)));
    expect(answers.filter(({ status }) => status === 200).length).to.equal(6);
    expect(await balance()).to.deep.equal({ available: 100, reserved: 900 });
  });

  it('need the permission balance.adjust', async () => {
    const token = await app.token(['security']);
    const denied = await app.admin('/adjustments', {
      token,
      body: {
        account: app.account,
        livemode: false,
        kind: 'reserve',
        amount: 1,
        currency: 'eur',
        reason: 'x',
      },
    });
    expect([denied.status, denied.error['required_permission']]).to.deep.equal([
      403,
      'balance.adjust',
    ]);
  });
});
