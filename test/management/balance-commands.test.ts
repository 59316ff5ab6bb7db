import { userInfo } from 'node:os';
import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { PaidOut } from '../support/paid-out.ts';
import { type Outcome, paymount, toJson } from '../support/run-command.ts';

/** Published numbers: the bank refuses payouts to the first, and takes those to the second. */
const CLOSED = '000111111113';
const GOOD = '000123456789';
const REASON = ['--reason', 'Chargebacks are expected.'];

type Json = Readonly<Record<string, unknown>>;

describe('the commands about the money of a merchant', () => {
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

  const run = (...args: string[]): Promise<Outcome> =>
    paymount({ DATABASE_URL: app.databaseUrl }, ...args);
  const of = (amount: string, currency = 'eur') => [
    '--account',
    app.account,
    '--environment',
    'test',
    '--amount',
    amount,
    '--currency',
    currency,
    ...REASON,
  ];
  const balance = async (): Promise<Json> => {
    const { json } = await ask(`${app.url}/v1/balance`, { key: app.secretKey });
    const pool = (name: string) => (json[name] as { amount: number }[])[0]?.amount;
    return { available: pool('available'), reserved: pool('reserved') };
  };
  const lastAudit = async (action: string): Promise<Json | undefined> =>
    ((await app.admin(`/audit?action=${action}`)).json['data'] as Json[])[0];

  it('paymount adjustments reserves funds, and releases them', async () => {
    await shop.earn(10_000);
    const reserved = await run('adjustments', 'reserve', ...of('4000'));
    expect([reserved.exitCode, reserved.err], reserved.said).to.deep.equal([0, []]);
    expect(reserved.out).to.have.length(1);
    expect(reserved.out[0]).to.match(/^adj_\w{26}$/);
    expect(await balance()).to.deep.equal({ available: 6_000, reserved: 4_000 });
    const released = toJson(await run('--json', 'adjustments', 'release', ...of('1500', 'EUR')));
    expect(released).to.deep.include({
      object: 'adjustment',
      account: app.account,
      livemode: false,
      kind: 'release',
      amount: 1_500,
      currency: 'eur',
      reason: 'Chargebacks are expected.',
    });
    expect(await balance()).to.deep.equal({ available: 7_500, reserved: 2_500 });
    expect(await lastAudit('adjustment.create')).to.deep.include({
      target: released['id'],
      actor: { type: 'command', id: userInfo().username },
      via: 'cli',
    });
  });

  it('paymount adjustments writes off a debt', async () => {
    const sale = { amount: 5_000, currency: 'eur', payment_method: 'pm_card_visa' };
    const { id } = await app.paymount.charges.create(app.acting, sale);
    await shop.pass(3 * 86_400_000);
    await shop.addBank(GOOD);
    await shop.post('/v1/payouts', { amount: 3_000, currency: 'eur' });
    await shop.post('/v1/refunds', { charge: id });
    expect(await balance()).to.deep.equal({ available: -3_000, reserved: 0 });
    expect((await run('adjustments', 'write-off', ...of('3000'))).exitCode).to.equal(0);
    expect(await balance()).to.deep.equal({ available: 0, reserved: 0 });
    await shop.settle();
  });

  it('paymount adjustments says what is wrong, and books nothing', async () => {
    await shop.earn(1_000);
    const absent = `acct_${'0'.repeat(26)}`;
    const live = of('10').map((each) => (each === 'test' ? 'live' : each));
    for (const [args, exitCode, said] of [
      [of('1001'), 1, '10.00 EUR are available; the reserve is 10.01 EUR.'],
      [of('10.00'), 2, '--amount is a whole number of minor units'],
      [of('0'), 2, 'An amount is at least 1 minor unit.'],
      [of('10', 'euro'), 2, 'A currency is an ISO 4217 code, such as eur.'],
      [live, 1, '0.00 EUR are available; the reserve is 0.10 EUR.'],
      [['--account', absent, ...of('10').slice(2)], 1, 'No such account'],
      [['--account', 'shop', ...of('10').slice(2)], 2, 'by its id (acct_...)'],
      [of('10').slice(0, -2), 2, "required option '--reason <text>'"],
      [[...of('10').slice(0, -1), ''], 2, '--reason must not be empty'],
      [[...of('10').slice(0, -1), '4242424242424242'], 1, 'Card numbers are not accepted'],
    ] as const) {
      const outcome = await run('adjustments', 'reserve', ...args);
      expect([outcome.exitCode, outcome.out], outcome.said).to.deep.equal([exitCode, []]);
      expect(outcome.err.join(' ')).to.include(said);
    }
    expect(await balance()).to.deep.equal({ available: 1_000, reserved: 0 });
  });

  it('paymount bank-accounts lists and shows them', async () => {
    expect((await run('bank-accounts', 'list')).out).to.deep.equal([
      'There is no such bank account.',
    ]);
    const bank = await shop.addBank(GOOD);
    const listed = await run('bank-accounts', 'list', '--account', app.account);
    expect(listed.out[0]).to.match(
      /^ID +STATUS +ACCOUNT +ENVIRONMENT +CURRENCY +DEFAULT +BANK +LAST4 +HELD UNTIL +FAILURE$/,
    );
    expect(listed.out[1]).to.match(
      new RegExp(`^${bank}  new +${app.account}  test +eur +yes +.+ 6789 +- +-$`),
    );
    const json = toJson(await run('--json', 'bank-accounts', 'list', '--environment', 'test'));
    expect(json['has_more']).to.equal(false);
    expect((json['bank_accounts'] as Json[]).map(({ id }) => id)).to.deep.equal([bank]);
    for (const narrower of [
      ['--environment', 'live'],
      ['--status', 'errored'],
      ['--currency', 'usd'],
      ['--after', bank],
    ]) {
      const { out } = await run('bank-accounts', 'list', ...narrower);
      expect(out, narrower.join(' ')).to.deep.equal(['There is no such bank account.']);
    }
    const shown = await run('bank-accounts', 'show', bank);
    expect(shown.out.join('\n')).to.match(/last4 +6789/);
    expect(shown.said.includes(GOOD)).to.equal(false);
  });

  it('paymount bank-accounts confirms one that is held, with a reason', async () => {
    const bank = await shop.addBank(GOOD);
    const held = new Date(Date.now() + 3_600_000);
    const hold = 'UPDATE paymount.bank_accounts SET held_until = $2 WHERE id = $1';
    await query(app.databaseUrl, hold, [bank, held]);
    const reason = ['--reason', 'The owner called.'] as const;
    const confirmed = await run('bank-accounts', 'confirm', bank, ...reason);
    expect([confirmed.exitCode, confirmed.out], confirmed.said).to.deep.equal([
      0,
      [`${bank} is confirmed: payouts go there without a wait.`],
    ]);
    const audited = await lastAudit('bank_account.confirm');
    expect(audited).to.deep.include({ target: bank, via: 'cli' });
    expect(audited?.['after']).to.deep.include({ payouts_held_until: null, reason: reason[1] });
    const unexplained = await run('bank-accounts', 'confirm', bank);
    expect([unexplained.exitCode, unexplained.said.includes('--reason')]).to.deep.equal([2, true]);
  });

  it('paymount bank-accounts restores one that a bank refused', async () => {
    await shop.earn(1_000);
    const bank = await shop.addBank(CLOSED);
    await shop.post('/v1/payouts', { amount: 1_000, currency: 'eur' });
    await shop.settle();
    const listed = await run('bank-accounts', 'list', '--status', 'errored');
    expect(listed.out[1]).to.match(new RegExp(`^${bank}  errored .* account_closed$`));
    const restored = await run('bank-accounts', 'restore', bank);
    expect([restored.exitCode, restored.out], restored.said).to.deep.equal([
      0,
      [`${bank} is new: payouts go there again.`],
    ]);
    expect((await app.admin(`/bank_accounts/${bank}`)).json).to.include({ status: 'new' });
    expect(await lastAudit('bank_account.restore')).to.deep.include({
      target: bank,
      actor: { type: 'command', id: userInfo().username },
      via: 'cli',
    });
    const again = await run('bank-accounts', 'restore', bank);
    expect([again.exitCode, again.err]).to.deep.equal([
      1,
      [`paymount: Bank account ${bank} is new; only an errored one can be restored.`],
    ]);
    const absent = await run('bank-accounts', 'restore', `ba_${'0'.repeat(26)}`);
    expect([absent.exitCode, absent.said.includes('No such bank account')]).to.deep.equal([
      1,
      true,
    ]);
    const wrong = await run('bank-accounts', 'show', 'po_1');
    expect(wrong.err.join()).to.include('Name the bank account by its id (ba_...)');
  });
});
