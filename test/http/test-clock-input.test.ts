import { expect } from 'chai';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { startHost } from '../support/host.ts';
import { LiveBank } from '../support/live-bank.ts';

const PATH = '/v1/test_helpers/test_clocks';
const JAN_1 = '2030-01-01T00:00:00.000Z';
const UNKNOWN = `clock_${'0'.repeat(26)}`;

const refused = ({ status, error }: Reply) => [status, error['code'], error['param']];

describe('what test clocks refuse', function () {
  this.timeout(60_000);
  let app: TestApp;
  let setup: ClockSetup;
  let clock: string;
  let sql: pg.Client;

  before(async () => {
    app = await startApp();
    setup = new ClockSetup(app);
    clock = await setup.clock(JAN_1);
    sql = new pg.Client({ connectionString: app.databaseUrl });
    await sql.connect();
  });
  after(async () => {
    await sql.end();
    await app.close();
  });

  for (const [what, time, code] of [
    ['no time', undefined, 'parameter_missing'],
    ['null', null, 'parameter_invalid'],
    ['an empty text', '', 'parameter_invalid_empty'],
    ['a word', 'tomorrow', 'parameter_invalid'],
    ['a time without a zone', '2030-01-01T00:00:00', 'parameter_invalid'],
    ['a date', '2030-01-01', 'parameter_invalid'],
    ['a day that is none', '2030-02-30T00:00:00Z', 'parameter_invalid'],
    ['a time before 1970', '1969-12-31T23:59:59Z', 'parameter_invalid'],
    ['a time after 9999', '+010000-01-01T00:00:00Z', 'parameter_invalid'],
    ['a time whose work would be due after 9999', '9998-01-01T00:00:00Z', 'parameter_invalid'],
    ['seconds whose work would be due after 9999', 253_339_228_800, 'parameter_invalid'],
    ['negative seconds', -1, 'parameter_invalid'],
    ['a fraction of a second', 1.5, 'parameter_invalid'],
    ['seconds after 9999', 253_402_300_800, 'parameter_invalid'],
    ['2^53', 9_007_199_254_740_992, 'parameter_invalid'],
    ['seconds as text', '1893456000', 'parameter_invalid'],
    ['true', true, 'parameter_invalid'],
    ['a list', [JAN_1], 'parameter_invalid'],
    ['an object', { at: JAN_1 }, 'parameter_invalid'],
  ] as const) {
    it(`refuses ${what} as frozen_time`, async () => {
      const body = time === undefined ? {} : { frozen_time: time };
      const replies = [
        await setup.post(PATH, body),
        await setup.post(`${PATH}/${clock}/advance`, body),
      ];
      for (const reply of replies) {
        expect(reply.status, reply.text).to.equal(400);
        expect([reply.error['param'], reply.error['code']]).to.deep.equal(['frozen_time', code]);
      }
    });
  }

  it('says which times it takes, and does all that becomes due after the last of them', async () => {
    const { error } = await setup.post(PATH, { frozen_time: '9998-01-01T00:00:00Z' });
    expect(error['message']).to.include('A test clock shows a time before the year 9998.');
    const last = await setup.clock('9997-12-31T23:59:58Z');
    const customer = await setup.customer(last);
    const held = await setup.charge(customer, { capture: false });
    await setup.charge(await setup.customer(last, 'pm_card_createDispute'));
    const bank = await setup.customer(last, 'pm_usBankAccount_success');
    const debit = await setup.charge(bank, { currency: 'usd' });
    expect(await setup.read(`/v1/charges/${held}`)).to.include({
      status: 'authorized',
      capture_before: '9998-01-07T23:59:58.000Z',
    });
    expect(await setup.eventsOf(debit)).to.deep.equal(['charge.pending 9997-12-31T23:59:58.000Z']);
    await setup.advance(last, '9997-12-31T23:59:59.000Z');
    const booked = await setup.read(`/v1/balance_transactions?test_clock=${last}`);
    expect(booked['data']).to.have.length(1);
  });

  it('refuses other parameters, long names, and secrets in names', async () => {
    const made = (more: object) => setup.post(PATH, { frozen_time: JAN_1, ...more });
    expect(refused(await made({ speed: 2 }))).to.deep.equal([400, 'parameter_unknown', 'speed']);
    expect(refused(await made({ metadata: {} }))).to.deep.equal([
      400,
      'parameter_unknown',
      'metadata',
    ]);
    expect(refused(await made({ name: 'a'.repeat(301) }))).to.deep.equal([
      400,
      'parameter_invalid',
      'name',
    ]);
    expect((await made({ name: '𝄞'.repeat(300) })).status).to.equal(200);
    expect(refused(await made({ name: `my key ${app.secretKey}` }))).to.deep.equal([
      400,
      'secret_in_text',
      'name',
    ]);
  });

  it('takes forms and Unix seconds, and shows seconds to the SDKs of Stripe', async () => {
    const { json, status } = await postForm(`${app.url}${PATH}`, 'frozen_time=1893456000', {
      key: app.secretKey,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'stripe-version': '2026-10-28.endive',
      },
    });
    expect(status).to.equal(200);
    expect(json).to.deep.include({ frozen_time: 1_893_456_000, status: 'ready' });
    expect(json['created']).to.be.a('number');
    expect(json['deletes_after']).to.equal(Number(json['created']) + 30 * 86_400);
    const moved = await postForm(
      `${app.url}${PATH}/${String(json['id'])}/advance`,
      'frozen_time=1893456001',
      { key: app.secretKey, headers: { 'stripe-version': '2026-10-28.endive' } },
    );
    expect(moved.json['status_details']).to.deep.equal({
      advancing: { target_frozen_time: 1_893_456_001 },
    });
    await app.worker.drain();
  });

  it('refuses unknown, malformed and deleted clocks, for customers and payouts alike', async () => {
    const gone = await setup.clock(JAN_1);
    await setup.delete(`${PATH}/${gone}`);
    for (const id of [UNKNOWN, gone, 'clock_1', 'cus_1', "clock_'; --", clock.toUpperCase()]) {
      const missing = [400, 'resource_missing', 'test_clock'];
      expect(refused(await setup.post('/v1/customers', { test_clock: id }))).to.deep.equal(missing);
      const payout = { amount: 1, currency: 'eur', test_clock: id };
      const answer = await setup.post('/v1/payouts', payout);
      // Without a bank account, that is missing first.
      expect(answer.status, answer.text).to.equal(400);
      const path = `${PATH}/${encodeURIComponent(id)}`;
      expect((await setup.get(path)).status).to.equal(404);
      expect((await setup.delete(path)).status).to.equal(404);
      expect((await setup.post(`${path}/advance`, { frozen_time: JAN_1 })).status).to.equal(404);
    }
    expect(refused(await setup.get('/v1/customers?test_clock=cus_1'))).to.deep.equal([
      400,
      'resource_missing',
      'test_clock',
    ]);
    const listed = await setup.read(`/v1/customers?test_clock=${UNKNOWN}`);
    expect(listed['data']).to.deep.equal([]);
  });

  it('cannot be added to a customer, or changed, later', async () => {
    const customer = await setup.customer(clock);
    const other = await setup.make('/v1/customers');
    for (const id of [customer, other['id']]) {
      const changed = await setup.post(`/v1/customers/${id}`, { test_clock: clock });
      expect(refused(changed)).to.deep.equal([400, 'parameter_unknown', 'test_clock']);
    }
  });

  it('refuses the clocks of another account', async () => {
    const other = await app.paymount.accounts.create({
      name: 'Another shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const { secret } = await app.paymount.keys.create({
      account: other.id,
      livemode: false,
      type: 'secret',
      name: 'other',
    });
    const as = (path: string, method = 'GET', body?: string) =>
      ask(`${app.url}${path}`, {
        method,
        key: secret,
        ...(body && { body, headers: { 'content-type': 'application/json' } }),
      });
    const time = JSON.stringify({ frozen_time: '2040-01-01T00:00:00Z' });
    expect((await as(`${PATH}/${clock}`)).status).to.equal(404);
    expect((await as(`${PATH}/${clock}/advance`, 'POST', time)).status).to.equal(404);
    expect((await as(`${PATH}/${clock}`, 'DELETE')).status).to.equal(404);
    const joined = await as('/v1/customers', 'POST', JSON.stringify({ test_clock: clock }));
    expect(refused(joined)).to.deep.equal([400, 'resource_missing', 'test_clock']);
    expect((await as(`/v1/customers?test_clock=${clock}`)).json['data']).to.deep.equal([]);
    expect((await as(`${PATH}?starting_after=${clock}`)).error['code']).to.equal('invalid_cursor');
  });

  it('exist only in the test environment', async () => {
    const live = await startHost(app, {
      environment: 'live',
      paymount: { processors: { live: new LiveBank(fakeClock()) } },
    });
    try {
      const { secret } = await app.paymount.keys.create({
        account: app.account,
        livemode: true,
        type: 'secret',
        name: 'live',
      });
      const as = (path: string, method: string, body?: object) =>
        ask(`${live.url}${path}`, {
          method,
          key: secret,
          ...(body && {
            body: JSON.stringify(body),
            headers: { 'content-type': 'application/json' },
          }),
        });
      const time = { frozen_time: '2040-01-01T00:00:00Z' };
      const replies = [
        await as(PATH, 'POST', time),
        await as(PATH, 'GET'),
        await as(`${PATH}/${clock}`, 'GET'),
        await as(`${PATH}/${clock}`, 'DELETE'),
        await as(`${PATH}/${clock}/advance`, 'POST', time),
      ];
      expect(replies.map(({ status, error }) => [status, error['code']])).to.deep.equal(
        replies.map(() => [400, 'test_mode_only']),
      );
      const customer = await as('/v1/customers', 'POST', { test_clock: clock });
      expect(refused(customer)).to.deep.equal([400, 'resource_missing', 'test_clock']);
    } finally {
      await live.close();
    }
  });

  it('have at most 100 customers each', async () => {
    const full = await setup.clock(JAN_1);
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        for (let count = 0; count < 3; count += 1)
          await setup.post('/v1/customers', { test_clock: full });
      }),
    );
    // The rest, as the routes would have written them.
    await sql.query(
      `INSERT INTO paymount.customers (id, account_id, livemode, version, balance,
          preferred_locales, metadata, created, test_clock_id)
        SELECT 'cus_' || lpad(n::text, 26, '0'), $1, false, 1, 0, '{}', '{}', now(), $2
        FROM generate_series(1, 99 - (SELECT count(*) FROM paymount.customers
          WHERE test_clock_id = $2)) AS n`,
      [app.account, full],
    );
    const last = await Promise.all(
      Array.from({ length: 4 }, () => setup.post('/v1/customers', { test_clock: full })),
    );
    expect(last.filter(({ status }) => status === 200)).to.have.lengthOf(1);
    const refusal = await setup.post('/v1/customers', { test_clock: full });
    expect(refused(refusal)).to.deep.equal([400, 'test_clock_full', 'test_clock']);
    expect((await setup.delete(`${PATH}/${full}`)).status).to.equal(200);
    const { rows } = await sql.query(
      `SELECT count(*)::integer AS left FROM paymount.customers
        WHERE test_clock_id = $1 AND deleted_at IS NULL`,
      [full],
    );
    expect(rows).to.deep.equal([{ left: 0 }]);
  });

  it('are at most 100 per account', async () => {
    await sql.query(
      `INSERT INTO paymount.test_clocks (id, account_id, livemode, version, frozen_time, status,
          failures, created)
        SELECT 'clock_' || lpad(n::text, 26, '0'), $1, false, 1, now(), 'ready', 0, now()
        FROM generate_series(1, 100 - (SELECT count(*) FROM paymount.test_clocks
          WHERE deleted_at IS NULL)) AS n`,
      [app.account],
    );
    const refusal = await setup.post(PATH, { frozen_time: JAN_1 });
    expect(refused(refusal)).to.deep.equal([400, 'test_clock_limit_reached', undefined]);
    expect((await setup.delete(`${PATH}/${clock}`)).status).to.equal(200);
    expect((await setup.post(PATH, { frozen_time: JAN_1 })).status).to.equal(200);
  });
});
