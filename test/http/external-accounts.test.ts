import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, JSON_TYPE, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { makeKey } from '../support/credentials.ts';
import { query } from '../support/database.ts';
import { BANK, PaidOut } from '../support/paid-out.ts';

const CLOCK = '2026-11-21T12:00:00.000Z';

describe('/v1/accounts/:id/external_accounts', () => {
  let app: TestApp;
  let clock: FakeClock;
  let shop: PaidOut;
  let path: string;

  before(async () => {
    clock = fakeClock(CLOCK);
    app = await startApp({ paymount: { clock } });
    shop = new PaidOut(app, clock);
    path = `/v1/accounts/${app.account}/external_accounts`;
  });
  after(() => app.close());

  const get = (from: string) => ask(`${app.url}${from}`, { key: app.secretKey });
  const remove = (id: string) =>
    ask(`${app.url}${path}/${id}`, { key: app.secretKey, method: 'DELETE', headers: JSON_TYPE });
  const add = (bank: object, more: object = {}) =>
    shop.post(path, { external_account: { ...BANK, ...bank }, ...more });
  const refused = ({ status, error }: Reply) => [status, error['code'], error['param']];
  const isDefault = async (id: string) => (await get(`${path}/${id}`)).json['default_for_currency'];

  it('show the account of the key, by either path, and no other', async () => {
    const own = await get('/v1/account');
    expect(own.json).to.deep.equal({
      id: app.account,
      object: 'account',
      created: CLOCK,
      business_profile: { name: 'Test shop' },
      email: null,
      country: 'DE',
      default_currency: 'eur',
      charges_enabled: true,
      payouts_enabled: true,
      settings: {
        payouts: {
          schedule: {
            interval: 'manual',
            delay_days: 2,
            weekly_anchor: null,
            monthly_anchor: null,
          },
        },
      },
    });
    expect((await get(`/v1/accounts/${app.account}`)).json).to.deep.equal(own.json);
    const other = `acct_${'0'.repeat(26)}`;
    expect(refused(await get(`/v1/accounts/${other}`))).to.deep.equal([
      404,
      'resource_missing',
      undefined,
    ]);
  });

  it('add a bank account by its number, of which only the last four digits are shown', async () => {
    const holder = { account_holder_name: 'Ada', account_holder_type: 'individual' };
    const added = await add({ currency: 'gbp', ...holder }, { metadata: { a: 'b' } });
    expect(added.status, added.text).to.equal(200);
    const { id, fingerprint, ...rest } = added.json;
    expect([id, fingerprint]).to.satisfy(
      ([made, print]: string[]) =>
        /^ba_\w{26}$/.test(`${made}`) && /^[0-9a-f]{24}$/.test(`${print}`),
    );
    expect(rest).to.deep.equal({
      object: 'bank_account',
      livemode: false,
      created: CLOCK,
      metadata: { a: 'b' },
      account: app.account,
      bank_name: 'Test Bank',
      last4: '6789',
      routing_number: '110000000',
      country: 'US',
      currency: 'gbp',
      ...holder,
      default_for_currency: true,
      payouts_held_until: null,
      status: 'new',
      failure_code: null,
      failure_message: null,
    });
    const again = await add({ currency: 'gbp' });
    expect(again.json['fingerprint'], 'of the same number').to.equal(fingerprint);
    const other = await add({ currency: 'gbp', account_number: '000111111116' });
    expect(other.json['fingerprint'], 'of another number').to.not.equal(fingerprint);
  });

  it('are listed by the time at which they were added', async () => {
    const older = (await add({ currency: 'czk' })).json;
    clock.advance(1_000);
    const newer = (await add({ currency: 'huf' })).json;
    const ids = async (query: string) =>
      ((await get(`${path}?limit=2&${query}`)).json['data'] as { id: string }[]).map(
        ({ id }) => id,
      );
    expect(await ids('')).to.deep.equal([newer['id'], older['id']]);
    expect(await ids(`created[gt]=${older['created']}`)).to.deep.equal([newer['id']]);
    expect((await ids(`created[lt]=${newer['created']}`))[0]).to.equal(older['id']);
  });

  it('store no account number that anybody could read', async () => {
    await add({}, {});
    const rows = await query<{ text: string }>(
      app.databaseUrl,
      'SELECT to_jsonb(b)::text AS text FROM paymount.bank_accounts b',
    );
    expect(rows.length).to.be.greaterThan(0);
    for (const { text } of rows) expect(text).to.not.include(BANK.account_number);
  });

  it('take the published tokens, in the currency of the account', async () => {
    const added = await shop.post(path, { external_account: 'btok_us' });
    expect(added.json).to.include({ last4: '6789', currency: 'eur' });
    expect(refused(await shop.post(path, { external_account: 'btok_us_nothing' }))).to.deep.equal([
      400,
      'resource_missing',
      'external_account',
    ]);
  });

  it('refuse what is no bank account, and say what is needed', async () => {
    expect(refused(await add({ routing_number: '110000001' }))).to.deep.equal([
      400,
      'routing_number_invalid',
      'external_account[routing_number]',
    ]);
    expect(refused(await add({ routing_number: undefined }))).to.deep.equal([
      400,
      'parameter_missing',
      'external_account[routing_number]',
    ]);
    expect(refused(await add({ account_number: '000123456780' }))).to.deep.equal([
      400,
      'test_number_required',
      'external_account[account_number]',
    ]);
    expect(refused(await add({ routing_number: '021000021' }))).to.deep.equal([
      400,
      'test_number_required',
      'external_account[account_number]',
    ]);
  });

  it('have one default for each currency, also when ten are made the default at once', async () => {
    const first = String((await add({ currency: 'chf' })).json['id']);
    const second = String((await add({ currency: 'chf' })).json['id']);
    expect([await isDefault(first), await isDefault(second)]).to.deep.equal([true, false]);
    const kept = await shop.post(`${path}/${first}`, { default_for_currency: false });
    expect(refused(kept)).to.deep.equal([400, 'parameter_invalid', 'default_for_currency']);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        shop.post(`${path}/${turn % 2 === 0 ? first : second}`, { default_for_currency: true }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const added = await Promise.all(
      [1, 2, 3].map(() => add({ currency: 'chf' }, { default_for_currency: true })),
    );
    expect(added.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    const { json } = await get(`${path}?limit=100`);
    const francs = (json['data'] as { currency: string; default_for_currency: boolean }[]).filter(
      ({ currency }) => currency === 'chf',
    );
    expect(francs.map((each) => each.default_for_currency).sort()).to.deep.equal([
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it('delete a bank account, of which the id stays', async () => {
    const first = String((await add({ currency: 'sek' })).json['id']);
    const second = String((await add({ currency: 'sek' })).json['id']);
    expect(refused(await remove(first))).to.deep.equal([
      400,
      'status_transition_invalid',
      undefined,
    ]);
    const gone = { id: second, object: 'bank_account', deleted: true };
    expect((await remove(second)).json).to.deep.equal(gone);
    expect((await get(`${path}/${second}`)).json).to.deep.equal(gone);
    expect(refused(await remove(second))).to.deep.equal([404, 'resource_missing', undefined]);
    expect((await remove(first)).json['deleted']).to.equal(true);
    const next = await add({ currency: 'sek' });
    expect(next.json['default_for_currency']).to.equal(true);
  });

  it('keep a bank account until the payouts to it are finished', async () => {
    await shop.earn(10_000, 'nok');
    const bank = String((await add({ currency: 'nok' })).json['id']);
    const made = await shop.post('/v1/payouts', { amount: 1, currency: 'nok' });
    expect(made.status, made.text).to.equal(200);
    const kept = await remove(bank);
    expect(refused(kept)).to.deep.equal([400, 'status_transition_invalid', undefined]);
    expect(kept.error['message']).to.include(`Payout ${String(made.json['id'])}`);
    await shop.settle();
    expect((await remove(bank)).json['deleted']).to.equal(true);
  });

  it('are for secret keys alone', async () => {
    const scopes = ['payouts:read'] as const;
    const { secret } = await makeKey(app.paymount, app.account, { type: 'restricted', scopes });
    const asked = await ask(`${app.url}${path}`, { key: secret });
    expect(asked.status).to.equal(403);
  });
});
