import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm, postJson, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { EVENT_FAMILIES, EVENTS } from '../support/event-table.ts';
import { PaidOut } from '../support/paid-out.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { countRows } from '../support/row-count.ts';
import {
  eventIn,
  type Hook,
  type WebhookSetting,
  webhookSetting,
} from '../support/webhook-setting.ts';

type Fields = Record<string, unknown>;

describe('A triggered event', () => {
  let app: TestApp;
  let clock: FakeClock;
  let receiver: Receiver;
  let setting: WebhookSetting;
  let hook: Hook;

  before(async () => {
    clock = fakeClock();
    app = await startApp({ paymount: { clock } });
    receiver = await startReceiver();
    setting = webhookSetting(app);
    hook = await setting.register(`${receiver.url}/all`);
  });
  after(async () => {
    await app.close();
    await receiver.close();
  });

  function trigger(body: object, headers: Record<string, string> = {}): Promise<Reply> {
    const more = { key: app.secretKey, headers };
    return postJson(`${app.url}/v1/test_helpers/events`, body, more);
  }

  const objectIn = ({ json, text }: Reply): Fields => {
    expect(json, text).to.have.property('data');
    return (json['data'] as { object: Fields }).object;
  };
  const get = (path: string): Promise<Reply> => ask(`${app.url}/v1${path}`, { key: app.secretKey });

  for (const [type, { shown }] of Object.entries(EVENTS)) {
    it(`of ${type} arrives signed, and tells of a state that the type means`, async () => {
      const before = receiver.requests.length;
      const reply = await trigger({ type });
      expect(reply.status, reply.text).to.equal(200);
      await app.worker.drain();
      const request = (await receiver.waitFor(before + 1)).at(-1);
      const event = eventIn(request, hook.secret, clock.now());
      expect(event).to.deep.equal(reply.json);
      expect(request?.headers).to.not.have.property('service-replay');
      expect(Object.keys(reply.json)).to.deep.equal([
        'id',
        'object',
        'type',
        'api_version',
        'created',
        'livemode',
        'data',
      ]);
      expect(reply.json).to.include({ object: 'event', type, livemode: false });
      const object = objectIn(reply);
      const [family = ''] = type.split('.');
      expect(object).to.deep.include({ object: family, livemode: false, ...shown });
      expect(object['metadata']).to.deep.equal({ triggered: 'true' });
      expect(object['currency']).to.equal('eur');
      expect(String(object['id'])).to.match(
        new RegExp(`^${String(EVENT_FAMILIES[family]?.prefix)}_[0-9a-z]{26}$`),
      );
      expect((await get(`/events/${String(reply.json['id'])}`)).text).to.equal(reply.text);
      expect((await get(`/charges/${String(object['id'])}`)).status).to.equal(404);
    });
  }

  it('says what follows from its moment and its sums', async () => {
    const at = clock.now().getTime();
    const told = async (type: string): Promise<Fields> =>
      objectIn(await trigger({ type, overrides: { amount: 500, currency: 'jpy' } }));
    const refunded = await told('charge.refunded');
    expect(refunded).to.include({ amount: 500, amount_captured: 500, amount_refunded: 500 });
    const won = await told('dispute.won');
    const lines = won['balance_transactions'] as Fields[];
    expect(
      lines.map(({ amount, net, currency, source }) => [amount, net, currency, source]),
    ).to.deep.equal([
      [-500, -500, 'jpy', won['id']],
      [500, 500, 'jpy', won['id']],
    ]);
    const { due_by: due, ...details } = won['evidence_details'] as Fields;
    const day = 86_400_000;
    expect(Date.parse(String(due)) - Date.parse(String(won['created']))).to.equal(20 * day);
    expect(details).to.deep.equal({ has_evidence: true, past_due: false, submission_count: 1 });
    const { json } = await trigger({ type: 'subscription.payment_failed' });
    const failed = (json['data'] as { object: Fields }).object;
    const moment = (field: unknown): number => Date.parse(String(field));
    expect(failed['current_period_start']).to.equal(json['created']);
    expect(moment(json['created'])).to.be.within(at, clock.now().getTime());
    expect(moment(failed['current_period_end']) - moment(json['created'])).to.equal(7 * day);
    const { next_attempt_at: next, ...dunning } = failed['dunning'] as Fields;
    expect(moment(next) - moment(json['created'])).to.equal(day);
    expect(dunning).to.deep.equal({
      attempt: 1,
      max_attempts: 5,
      last_failure_code: 'insufficient_funds',
    });
    const [item] = (failed['items'] as { data: Fields[] }).data;
    expect(item?.['price']).to.include({ unit_amount: 4200, currency: 'eur', type: 'recurring' });
  });

  it('is about another object each time', async () => {
    const replies = [
      await trigger({ type: 'payout.paid' }),
      await trigger({ type: 'payout.paid' }),
    ];
    const ids = replies.flatMap((reply) => [
      reply.json['id'],
      objectIn(reply)['id'],
      objectIn(reply)['balance_transaction'],
    ]);
    expect(new Set(ids).size).to.equal(6);
  });

  it('has the fields that are wanted of it, sent as JSON or as a form', async () => {
    const overrides = {
      amount: 700,
      captured: false,
      metadata: { order: '6735', triggered: 'no' },
      outcome: { risk_level: 'elevated' },
      payment_method_details: { card: { exp_year: 2031, checks: { cvc_check: 'fail' } } },
    };
    const form =
      'type=charge.succeeded&overrides[amount]=700&overrides[captured]=false' +
      '&overrides[metadata][order]=6735&overrides[metadata][triggered]=no' +
      '&overrides[outcome][risk_level]=elevated' +
      '&overrides[payment_method_details][card][exp_year]=2031' +
      '&overrides[payment_method_details][card][checks][cvc_check]=fail';
    const sent = await postForm(`${app.url}/v1/test_helpers/events`, form, { key: app.secretKey });
    for (const reply of [await trigger({ type: 'charge.succeeded', overrides }), sent]) {
      expect(reply.status, reply.text).to.equal(200);
      const object = objectIn(reply);
      expect(object).to.deep.include({
        amount: 700,
        amount_captured: 700,
        captured: false,
        metadata: { order: '6735', triggered: 'true' },
      });
      expect(object['outcome']).to.deep.include({ type: 'authorized', risk_level: 'elevated' });
      const { card } = object['payment_method_details'] as { card: Fields };
      expect(card).to.deep.include({
        brand: 'visa',
        exp_year: 2031,
        checks: { cvc_check: 'fail', address_postal_code_check: null },
      });
    }
  });

  it('refuses what its object cannot be, naming the field, and records nothing', async () => {
    const cases: readonly [string, Fields, string, string][] = [
      ['charge.failed', { id: 'ch_1' }, 'parameter_invalid', 'overrides[id]'],
      ['charge.failed', { object: 'payout' }, 'parameter_invalid', 'overrides[object]'],
      ['charge.failed', { livemode: true }, 'parameter_invalid', 'overrides[livemode]'],
      ['charge.failed', { status: 'paid' }, 'parameter_invalid', 'overrides[status]'],
      ['charge.failed', { amount: 0 }, 'amount_too_small', 'overrides[amount]'],
      ['charge.failed', { amount: 100_000_000 }, 'amount_too_large', 'overrides[amount]'],
      ['charge.failed', { amount: '10' }, 'parameter_invalid_integer', 'overrides[amount]'],
      ['charge.failed', { currency: 'xxz' }, 'invalid_currency', 'overrides[currency]'],
      ['charge.failed', { arrival_date: null }, 'parameter_unknown', 'overrides[arrival_date]'],
      ['charge.failed', { metadata: 'x' }, 'parameter_invalid', 'overrides[metadata]'],
      ['charge.failed', { metadata: { a: 1 } }, 'parameter_invalid', 'overrides[metadata][a]'],
      [
        'charge.failed',
        { metadata: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key${at}`, 'x'])) },
        'metadata_limit_exceeded',
        'overrides[metadata]',
      ],
      [
        'charge.failed',
        { metadata: { note: 'x'.repeat(501) } },
        'metadata_limit_exceeded',
        'overrides[metadata][note]',
      ],
      [
        'charge.refunded',
        { amount_refunded: -5 },
        'parameter_invalid',
        'overrides[amount_refunded]',
      ],
      [
        'charge.refunded',
        { amount_refunded: 4201 },
        'parameter_invalid',
        'overrides[amount_refunded]',
      ],
      [
        'charge.captured',
        { amount_captured: 4201 },
        'parameter_invalid',
        'overrides[amount_captured]',
      ],
      [
        'charge.captured',
        { amount_captured: 2 ** 60 },
        'parameter_invalid',
        'overrides[amount_captured]',
      ],
      ['charge.failed', { outcome: { a: 1 } }, 'parameter_unknown', 'overrides[outcome][a]'],
      ['charge.pending', { shipping: {} }, 'parameter_missing', 'overrides[shipping][name]'],
      ['charge.failed', { created: 'now' }, 'parameter_invalid', 'overrides[created]'],
      ['subscription.created', { amount: 5 }, 'parameter_unknown', 'overrides[amount]'],
      ['subscription.created', { items: [] }, 'parameter_invalid', 'overrides[items]'],
      ['dispute.won', { evidence: { a: '' } }, 'parameter_unknown', 'overrides[evidence][a]'],
      ['payout.paid', { automatic: 'yes' }, 'parameter_invalid', 'overrides[automatic]'],
    ];
    const before = await countRows(app.databaseUrl);
    for (const [type, overrides, code, param] of cases) {
      const { status, error } = await trigger({ type, overrides });
      expect([status, error['code'], error['param']], param).to.deep.equal([400, code, param]);
    }
    const others: readonly [object, string, string][] = [
      [{}, 'parameter_missing', 'type'],
      [{ type: 'charge.expired' }, 'parameter_invalid', 'type'],
      [{ type: 'charge.*' }, 'parameter_invalid', 'type'],
      [{ type: 'payout.paid', overrides: [] }, 'parameter_invalid', 'overrides'],
      [{ type: 'payout.paid', overrides: 'x' }, 'parameter_invalid', 'overrides'],
      [{ type: 'payout.paid', override: {} }, 'parameter_unknown', 'override'],
      [{ type: 'payout.paid', object: 'po_1' }, 'resource_missing', 'object'],
      [{ type: 'dispute.won', object: 'dp_1' }, 'resource_missing', 'object'],
      [{ type: 'subscription.created', object: '' }, 'resource_missing', 'object'],
      [{ type: 'charge.failed', object: hook.id }, 'resource_missing', 'object'],
    ];
    for (const [body, code, param] of others) {
      const { status, error } = await trigger(body);
      const what = JSON.stringify(body);
      expect([status, error['code'], error['param']], what).to.deep.equal([400, code, param]);
    }
    expect(await countRows(app.databaseUrl)).to.deep.equal(before);
  });

  it('may be about a charge that exists, as often as one likes, beside the charge’s own events', async () => {
    const sale = 'amount=100&currency=eur&payment_method=pm_card_visa&capture=false';
    const key = { key: app.secretKey };
    const charge = (await postForm(`${app.url}/v1/charges`, sale, key)).json;
    const id = String(charge['id']);
    const bodies = { type: 'charge.captured', object: id };
    const replies = [await trigger(bodies), await trigger(bodies), await trigger(bodies)];
    for (const reply of replies) {
      expect(objectIn(reply)).to.deep.equal({ ...charge, metadata: { triggered: 'true' } });
    }
    const changed = await trigger({ ...bodies, overrides: { description: 'Wanted' } });
    expect(objectIn(changed)).to.include({ id, status: 'authorized', description: 'Wanted' });
    expect((await get(`/charges/${id}`)).json).to.deep.equal(charge);
    const captured = await postForm(`${app.url}/v1/charges/${id}/capture`, '', key);
    expect(captured.status, captured.text).to.equal(200);
    const { json } = await get(`/events?object_id=${id}&limit=100`);
    const events = json['data'] as { type: string; data: { object: { status: string } } }[];
    expect(events.map(({ type, data }) => [type, data.object.status])).to.deep.equal([
      ['charge.captured', 'succeeded'],
      ['charge.captured', 'authorized'],
      ['charge.captured', 'authorized'],
      ['charge.captured', 'authorized'],
      ['charge.captured', 'authorized'],
    ]);
    expect((await trigger(bodies)).status).to.equal(200);
    // Versions of what happened count up from 1, and no triggered event may ever have one of them.
    const versions = await query(
      app.databaseUrl,
      `SELECT source, bool_and(object_version < 0) AS below FROM paymount.events
       WHERE object_id = '${id}' GROUP BY source ORDER BY source`,
    );
    expect(versions).to.deep.equal([
      { source: 'api', below: false },
      { source: 'trigger', below: true },
    ]);
  });

  it('goes to the endpoint that it names alone, subscribed or not', async () => {
    const other = await setting.register(`${receiver.url}/other`, ['payout.paid']);
    await app.worker.drain();
    const before = receiver.requests.length;
    const reply = await trigger({ type: 'charge.failed', endpoint: other.id });
    await app.worker.drain();
    const requests = (await receiver.waitFor(before + 1)).slice(before);
    expect(requests.map(({ path }) => path)).to.deep.equal(['/other']);
    expect(eventIn(requests[0], other.secret, clock.now())).to.deep.equal(reply.json);
    expect(requests[0]?.headers).to.not.have.property('service-replay');
    await setting.set(other, { disabled: true });
    let rows = await countRows(app.databaseUrl);
    const refused = await trigger({ type: 'charge.failed', endpoint: other.id });
    expect([refused.status, refused.error['code'], refused.error['param']]).to.deep.equal([
      409,
      'endpoint_disabled',
      'endpoint',
    ]);
    expect(await countRows(app.databaseUrl)).to.deep.equal(rows);
    await setting.remove(other);
    rows = await countRows(app.databaseUrl);
    const missing = await trigger({ type: 'charge.failed', endpoint: other.id });
    expect([missing.status, missing.error['code'], missing.error['param']]).to.deep.equal([
      404,
      'resource_missing',
      'endpoint',
    ]);
    expect(await countRows(app.databaseUrl)).to.deep.equal(rows);
  });

  it('happens once, however often its Idempotency-Key comes', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const type = 'payout.failed';
    const first = await trigger({ type }, headers);
    const again = await trigger({ type }, headers);
    expect([again.text, again.headers['idempotent-replayed']]).to.deep.equal([first.text, 'true']);
    const another = await trigger({ type: 'payout.paid' }, headers);
    expect(another.error['code']).to.equal('idempotency_key_mismatch');
    const { json } = await get('/events?type=payout.failed&limit=1');
    expect((json['data'] as unknown[])[0]).to.deep.equal(first.json);
  });

  it('may be about a dispute or a payout that exists', async () => {
    const paidOut = new PaidOut(app, clock);
    await paidOut.post('/v1/charges', {
      amount: 4_200,
      currency: 'eur',
      source: 'tok_createDispute',
    });
    await paidOut.settle();
    await paidOut.earn(10_000);
    await paidOut.addBank();
    await paidOut.post('/v1/payouts', { amount: 500, currency: 'eur' });
    for (const [path, type] of [
      ['/disputes', 'dispute.won'],
      ['/payouts', 'payout.failed'],
    ] as const) {
      const [existing] = (await get(path)).json['data'] as Fields[];
      const reply = await trigger({ type, object: existing?.['id'] });
      expect(reply.status, reply.text).to.equal(200);
      expect(objectIn(reply)).to.deep.equal({ ...existing, metadata: { triggered: 'true' } });
    }
  });
});
