import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Hook, type WebhookSetting, webhookSetting } from '../support/webhook-setting.ts';

type Json = Readonly<Record<string, unknown>>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TOMORROW_MS = Math.floor(Date.now() / DAY_MS + 1) * DAY_MS;

/** So many hours after tomorrow began, when the clock of the tests starts. */
const at = (hours: number): string => new Date(TOMORROW_MS + hours * HOUR_MS).toISOString();

const NONE = {
  attempts: { total: 0, succeeded: 0, failed: 0, unknown: 0, superseded: 0 },
  status_classes: {},
  errors: {},
  deliveries: { succeeded: 0, failed: 0 },
};

describe('The summary of deliveries', function () {
  this.timeout(60_000);
  let app: TestApp;
  let clock: FakeClock;
  let receiver: Receiver;
  let setting: WebhookSetting;
  let good: Hook;
  let bad: Hook;

  // One delivery succeeds at once, the other after two failures, and then again as a replay.
  before(async () => {
    clock = fakeClock();
    clock.advance(Date.parse(at(22)) + 10 * MINUTE_MS - clock.now().getTime());
    app = await startApp({ paymount: { clock } });
    receiver = await startReceiver();
    setting = webhookSetting(app);
    good = await setting.register(`${receiver.url}/good`);
    bad = await setting.register(`${receiver.url}/bad`);
    receiver.otherwise(({ path }) => (path === '/bad' ? 500 : 200));
    const event = await setting.publish();
    await app.worker.drain();
    clock.advance(HOUR_MS);
    await app.worker.drain();
    receiver.otherwise(200);
    clock.advance(HOUR_MS);
    await app.worker.drain();
    await postJson(
      `${app.url}/v1/events/${event}/replay`,
      { endpoint: good.id },
      { key: app.secretKey },
    );
    await app.worker.drain();
  });
  after(async () => {
    await app.close();
    await receiver.close();
  });

  const get = (filter: string): Promise<Reply> =>
    ask(`${app.url}/v1/deliveries/summary?${filter}`, { key: app.secretKey });

  async function summary(filter: string): Promise<Json> {
    const reply = await get(filter);
    expect(reply.status, reply.text).to.equal(200);
    return reply.json;
  }

  /** Without durations, which differ from run to run. */
  const counts = ({ average_duration_ms: _, ...rest }: Json): Json => rest;

  it('has the attempts of each hour, in which those without attempts are zero', async () => {
    const { intervals, total, ...rest } = await summary(`interval=hour&from=${at(21.5)}`);
    expect(counts(rest)).to.include({
      object: 'delivery_summary',
      livemode: false,
      interval: 'hour',
      from: at(21),
      to: at(25),
    });
    expect(rest['counted_at']).to.match(new RegExp(`^${at(24).slice(0, 14)}1`));
    expect((intervals as Json[]).map(counts)).to.deep.equal([
      { starts_at: at(21), ...NONE },
      {
        starts_at: at(22),
        attempts: { total: 2, succeeded: 1, failed: 1, unknown: 0, superseded: 0 },
        status_classes: { '2xx': 1, '5xx': 1 },
        errors: { http_status: 1 },
        deliveries: { succeeded: 1, failed: 0 },
      },
      {
        starts_at: at(23),
        attempts: { total: 1, succeeded: 0, failed: 1, unknown: 0, superseded: 0 },
        status_classes: { '5xx': 1 },
        errors: { http_status: 1 },
        deliveries: { succeeded: 0, failed: 0 },
      },
      {
        starts_at: at(24),
        attempts: { total: 2, succeeded: 2, failed: 0, unknown: 0, superseded: 0 },
        status_classes: { '2xx': 2 },
        errors: {},
        deliveries: { succeeded: 2, failed: 0 },
      },
    ]);
    expect(counts(total as Json)).to.deep.equal({
      attempts: { total: 5, succeeded: 3, failed: 2, unknown: 0, superseded: 0 },
      status_classes: { '2xx': 3, '5xx': 2 },
      errors: { http_status: 2 },
      deliveries: { succeeded: 3, failed: 0 },
    });
    expect((total as Json)['average_duration_ms']).to.be.a('number');
  });

  it('has the same attempts by day, over the last 30 days unless asked otherwise', async () => {
    const { intervals, from, to } = await summary('');
    const days = intervals as Json[];
    expect([from, to, days.length]).to.deep.equal([at(-28 * 24), at(48), 30]);
    expect(days.slice(-2).map(({ attempts }) => attempts)).to.deep.equal([
      { total: 3, succeeded: 1, failed: 2, unknown: 0, superseded: 0 },
      { total: 2, succeeded: 2, failed: 0, unknown: 0, superseded: 0 },
    ]);
    const [first] = (await summary(`to=${at(24)}`))['intervals'] as Json[];
    expect(first?.['starts_at']).to.equal(at(-29 * 24));
  });

  it('has the totals of each endpoint, and of one endpoint or type alone', async () => {
    const totals = ({ endpoints }: Json) =>
      (endpoints as Json[]).map(({ endpoint, attempts }) => [
        endpoint,
        (attempts as Json)['total'],
      ]);
    expect(totals(await summary('interval=hour'))).to.deep.equal([
      [bad.id, 3],
      [good.id, 2],
    ]);
    expect(totals(await summary(`endpoint=${bad.id}`))).to.deep.equal([[bad.id, 3]]);
    expect(totals(await summary('type=charge.succeeded')).length).to.equal(2);
    expect(totals(await summary('type=charge.failed'))).to.deep.equal([]);
    expect(totals(await summary(`from=${at(24)}`))).to.deep.equal([
      [good.id, 1],
      [bad.id, 1],
    ]);
  });

  it('has no attempts of other accounts or of the other environment', async () => {
    const { id: account } = await app.paymount.accounts.create({
      name: 'Other shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const made = { account, livemode: false, type: 'secret', name: 'other' } as const;
    const other = await app.paymount.keys.create(made);
    const { json } = await ask(`${app.url}/v1/deliveries/summary?endpoint=${good.id}`, {
      key: other.secret,
    });
    expect([json['endpoints'], (json['total'] as Json)['attempts']]).to.deep.equal([
      [],
      NONE.attempts,
    ]);
  });

  it('counts an attempt that was recorded late once its hour is compared again', async () => {
    const fields = `account_id, livemode, delivery_id, event_id, event_type, endpoint_id, attempt,
      outcome, url, request_headers, response_truncated, started_at, duration_ms, reused_connection,
      redialed`;
    await query(
      app.databaseUrl,
      `INSERT INTO paymount.delivery_attempts (id, ${fields})
       SELECT 'att_late', ${fields.replace('outcome', "'unknown'")} FROM paymount.delivery_attempts
       WHERE started_at < '${at(23)}' LIMIT 1`,
    );
    const unknown = async (): Promise<unknown> =>
      ((await summary(`to=${at(24)}`))['total'] as { attempts: Json }).attempts['unknown'];
    await app.worker.drain();
    expect(await unknown()).to.equal(0);
    clock.advance(HOUR_MS);
    await app.worker.drain();
    expect(await unknown()).to.equal(1);
  });

  it('refuses a time that has no counts, and what it does not understand', async () => {
    for (const [filter, code, param, message] of [
      [`from=${at(50)}`, 'parameter_invalid', 'from', 'from must be in the past.'],
      [`from=${at(2)}&to=${at(2)}`, 'parameter_invalid', 'from', 'from must be before to.'],
      [
        `interval=hour&from=${at(-400)}`,
        'parameter_invalid',
        'from',
        'A summary has at most 400 hours; send a later from, an earlier to, or interval=day.',
      ],
      [
        `interval=hour&from=${at(-91 * 24)}&to=${at(-90 * 24)}`,
        'parameter_invalid',
        'from',
        'Attempts per hour are kept for 90 days; send a later from, or interval=day.',
      ],
      [
        `from=${at(-402 * 24)}`,
        'parameter_invalid',
        'from',
        'Attempts per day are kept for 400 days; send a later from.',
      ],
      ['interval=week', 'parameter_invalid', 'interval', undefined],
      ['from=yesterday', 'parameter_invalid', 'from', undefined],
      [`endpoint=evt_1`, 'parameter_invalid', 'endpoint', undefined],
      ['status=failed', 'parameter_unknown', 'status', undefined],
    ]) {
      const { status, error } = await get(filter ?? '');
      expect([status, error['code'], error['param']], filter).to.deep.equal([400, code, param]);
      if (message !== undefined) expect(error['message']).to.equal(message);
    }
  });
});
