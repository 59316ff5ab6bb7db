import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm, postJson, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { countRows } from '../support/row-count.ts';
import {
  eventIn,
  type Hook,
  type WebhookSetting,
  webhookSetting,
} from '../support/webhook-setting.ts';

interface Delivery {
  readonly id: string;
  readonly endpoint: string;
}

/** Nobody listens there. */
const ELSEWHERE = 'https://127.0.0.1:8443/';

describe('The replay of one event', () => {
  let app: TestApp;
  let clock: FakeClock;
  let receiver: Receiver;
  let setting: WebhookSetting;
  let hook: Hook;
  let event: string;

  beforeEach(async () => {
    clock = fakeClock();
    app = await startApp({ paymount: { clock } });
    receiver = await startReceiver();
    setting = webhookSetting(app);
    hook = await setting.register(`${receiver.url}/first`);
    event = await setting.publish();
    await app.worker.drain();
  });
  afterEach(async () => {
    await app.close();
    await receiver.close();
  });

  function replay(body: object = {}, headers: Record<string, string> = {}): Promise<Reply> {
    const more = { key: app.secretKey, headers };
    return postJson(`${app.url}/v1/events/${event}/replay`, body, more);
  }

  const deliveriesIn = ({ json }: Reply) => json['data'] as readonly Delivery[];
  const endpointsIn = (reply: Reply) => deliveriesIn(reply).map(({ endpoint }) => endpoint);

  /** The worker resumes parked deliveries of an enabled endpoint at any time, and logs attempts. */
  async function rowsBesideAttempts(): Promise<Record<string, number>> {
    const rows = Object.entries(await countRows(app.databaseUrl));
    return Object.fromEntries(rows.filter(([table]) => !table.startsWith('delivery_attempts')));
  }

  it('sends the same event id again, freshly signed, and says that it is a replay', async () => {
    clock.advance(3_600_000);
    const reply = await replay();
    expect(reply.status, reply.text).to.equal(200);
    const [made] = deliveriesIn(reply);
    const at = clock.now().toISOString().slice(0, 16);
    const { created, due_at: due, ...rest } = made as Delivery & Record<string, string>;
    expect([created?.slice(0, 16), due?.slice(0, 16)]).to.deep.equal([at, at]);
    expect({ ...reply.json, data: [rest] }).to.deep.equal({
      object: 'list',
      url: `/v1/events/${event}/replay`,
      has_more: false,
      data: [
        {
          id: made?.id,
          object: 'delivery',
          livemode: false,
          event,
          event_type: 'charge.succeeded',
          endpoint: hook.id,
          origin: 'replay',
          replay: null,
          status: 'pending',
          attempt: 1,
          attempting: false,
          last_status: null,
          last_error: null,
          finished_at: null,
        },
      ],
    });
    await app.worker.drain();
    const [first, second] = await receiver.waitFor(2);
    expect(eventIn(second, hook.secret, clock.now())).to.have.property('id', event);
    expect(second?.body.toString()).to.equal(first?.body.toString());
    expect(second?.headers).to.include({
      'webhook-id': event,
      'service-delivery': made?.id,
      'service-attempt': '1',
      'service-replay': 'true',
    });
    expect(first?.headers).to.not.have.property('service-replay');
    const [sent, sentAgain] = [first, second].map((each) =>
      Number(each?.headers['webhook-timestamp']),
    );
    expect((sentAgain ?? 0) - (sent ?? 0)).to.be.at.least(3_600);
  });

  it('goes to the endpoints that match the type now, and to no others', async () => {
    const later = await setting.register(`${receiver.url}/later`, ['charge.*']);
    const disabled = await setting.register(ELSEWHERE);
    await setting.set(disabled, { disabled: true });
    await setting.remove(await setting.register(ELSEWHERE));
    await setting.register(ELSEWHERE, ['payout.paid']);
    expect(endpointsIn(await replay())).to.have.members([hook.id, later.id]);
    await app.worker.drain();
    expect((await receiver.waitFor(3)).map(({ path }) => path)).to.have.members([
      '/first',
      '/first',
      '/later',
    ]);
  });

  it('goes to the endpoint that it names alone, subscribed or not', async () => {
    const other = await setting.register(`${receiver.url}/other`, ['payout.paid']);
    const reply = await postForm(`${app.url}/v1/events/${event}/replay`, `endpoint=${other.id}`, {
      key: app.secretKey,
    });
    expect(endpointsIn(reply)).to.deep.equal([other.id]);
    await app.worker.drain();
    const [, request] = await receiver.waitFor(2);
    expect(request?.path).to.equal('/other');
    expect(eventIn(request, other.secret, clock.now())).to.have.property('id', event);
    expect(receiver.requests).to.have.length(2);
  });

  it('has the whole schedule before it, each attempt signed anew', async () => {
    receiver.script(500);
    const [made] = deliveriesIn(await replay());
    await app.worker.drain();
    clock.advance(305_000);
    await app.worker.drain();
    const [, second, third] = await receiver.waitFor(3);
    expect([second, third].map((each) => each?.headers['service-delivery'])).to.deep.equal([
      made?.id,
      made?.id,
    ]);
    expect(third?.headers['service-attempt']).to.equal('2');
    expect(third?.headers['service-replay']).to.equal('true');
    const [one, two] = [second, third].map((each) => Number(each?.headers['webhook-timestamp']));
    expect((two ?? 0) - (one ?? 0)).to.be.within(300, 310);
  });

  it('is answered with an empty list where no endpoint matches, and changes nothing', async () => {
    await setting.set(hook, { disabled: true });
    const before = await countRows(app.databaseUrl);
    const reply = await replay();
    expect([reply.status, reply.json['data']]).to.deep.equal([200, []]);
    expect(await countRows(app.databaseUrl)).to.deep.equal(before);
    const headers = { 'idempotency-key': randomUUID() };
    const kept = await replay({}, headers);
    await setting.set(hook, { disabled: false });
    const again = await replay({}, headers);
    expect([again.text, again.headers['idempotent-replayed']]).to.deep.equal([kept.text, 'true']);
  });

  it('is refused to an endpoint that is disabled, naming it', async () => {
    await setting.set(hook, { disabled: true });
    const before = await countRows(app.databaseUrl);
    const reply = await replay({ endpoint: hook.id });
    expect([reply.status, reply.error['code'], reply.error['param']]).to.deep.equal([
      409,
      'endpoint_disabled',
      'endpoint',
    ]);
    expect(await countRows(app.databaseUrl)).to.deep.equal(before);
  });

  it('is refused to an endpoint at which 1,000 wait, and goes on when one has ended', async () => {
    const other = await setting.register(ELSEWHERE);
    const waiting = (sql: string) => query(app.databaseUrl, sql, [other.id]);
    await waiting(
      `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id,
         event_type, origin, state, attempt, due_at, created)
       SELECT account_id, livemode, 'dlv_' || n, event_id, $1, event_type, 'replay',
         CASE n % 2 WHEN 0 THEN 'pending' ELSE 'parked' END, 2, now() + interval '1 day', now()
       FROM paymount.deliveries, generate_series(1, 999) n WHERE origin = 'event'`,
    );
    expect((await replay({ endpoint: other.id })).status).to.equal(200);
    const before = await rowsBesideAttempts();
    const named = await replay({ endpoint: other.id });
    expect([named.status, named.error['code'], named.error['param']]).to.deep.equal([
      409,
      'waiting_replays_limit_reached',
      'endpoint',
    ]);
    expect(named.error['message']).to.include(other.id);
    const matching = await replay();
    expect([matching.status, matching.error['code'], matching.error['param']]).to.deep.equal([
      409,
      'waiting_replays_limit_reached',
      undefined,
    ]);
    expect(await rowsBesideAttempts()).to.deep.equal(before);
    expect((await replay({ endpoint: hook.id })).status).to.equal(200);
    // Those of a replay of many have a bound of their own.
    await waiting(`UPDATE paymount.deliveries SET replay_id = 'rpl_1' WHERE id = 'dlv_1'
      AND endpoint_id = $1`);
    expect((await replay()).status).to.equal(200);
    expect((await replay()).status).to.equal(409);
    await waiting(`UPDATE paymount.deliveries SET state = 'failed', finished_at = now()
      WHERE id = 'dlv_2' AND endpoint_id = $1`);
    expect((await replay({ endpoint: other.id })).status).to.equal(200);
  });

  it('is made whole or refused while its endpoint is being disabled', async () => {
    const before = (await countRows(app.databaseUrl))['deliveries'] ?? 0;
    const replies = await Promise.all(
      Array.from({ length: 30 }, async (_, caller) => {
        if (caller === 10) await setting.set(hook, { disabled: true });
        return replay(caller % 2 === 0 ? { endpoint: hook.id } : {});
      }),
    );
    const made = replies.flatMap((reply) => (reply.status === 200 ? deliveriesIn(reply) : []));
    for (const { status, error } of replies) {
      if (status !== 200) expect([status, error['code']]).to.deep.equal([409, 'endpoint_disabled']);
    }
    expect((await countRows(app.databaseUrl))['deliveries']).to.equal(before + made.length);
    const after = await Promise.all([replay({ endpoint: hook.id }), replay()]);
    expect(after.map(({ status }) => status)).to.deep.equal([409, 200]);
    expect(after.flatMap((reply) => deliveriesIn(reply) ?? [])).to.deep.equal([]);
  });

  it('is answered 404, naming the parameter, where no endpoint has the id', async () => {
    await setting.remove(hook);
    const gone = [hook.id, `${hook.id.slice(0, -4)}zzzz`, event, 'we_1', ''];
    for (const endpoint of gone) {
      const reply = await replay({ endpoint });
      expect([reply.status, reply.error['code'], reply.error['param']], endpoint).to.deep.equal([
        404,
        'resource_missing',
        'endpoint',
      ]);
    }
  });

  it('refuses what it does not know', async () => {
    const cases: readonly [object, string, string][] = [
      [{ endpoints: [hook.id] }, 'parameter_unknown', 'endpoints'],
      [{ endpoint: [hook.id] }, 'parameter_invalid', 'endpoint'],
      [{ endpoint: null }, 'parameter_invalid', 'endpoint'],
    ];
    for (const [body, code, param] of cases) {
      const reply = await replay(body);
      expect([reply.status, reply.error['code'], reply.error['param']]).to.deep.equal([
        400,
        code,
        param,
      ]);
    }
  });

  it('is made once, however often its Idempotency-Key comes', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const replies = await Promise.all(Array.from({ length: 10 }, () => replay({}, headers)));
    const stored = await replay({}, headers);
    for (const reply of replies) {
      if (reply.status === 200) expect(reply.text).to.equal(stored.text);
      else expect(reply.error['code']).to.equal('idempotency_key_in_use');
    }
    await app.worker.drain();
    expect(await receiver.waitFor(2)).to.have.length(2);
    const elsewhere = await replay({ endpoint: hook.id }, headers);
    expect(elsewhere.error['code']).to.equal('idempotency_key_mismatch');
  });

  it('leaves the first delivery unchanged', async () => {
    await replay();
    await app.worker.drain();
    const { json } = await ask(`${app.url}/v1/events?delivery_success=true`, {
      key: app.secretKey,
    });
    expect((json['data'] as { id: string }[]).map(({ id }) => id)).to.deep.equal([event]);
  });
});
