import { setTimeout as delay } from 'node:timers/promises';
import { LANES, type Worker } from '@paymount/webhooks';
import { expect } from 'chai';
import knex from 'knex';
import { verify } from 'paymount-receiver';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Engine, makeEngine } from './engine.ts';

describe('A delivery', () => {
  let engine: Engine;
  let receiver: Receiver;

  beforeEach(async () => {
    engine = await makeEngine();
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await engine.close();
    await receiver.close();
  });

  it('leaves right after the commit, signed, and is logged with what came back', async () => {
    receiver.otherwise({ status: 201, headers: { 'X-Seen': 'yes' }, body: 'thanks' });
    const worker = await engine.startWorker();
    const { id: endpoint, secret } = await engine.endpoint(`${receiver.url}/hook?x=1`);
    const [event] = await engine.publish();
    const [request] = await receiver.waitFor(1);
    await worker.drain();
    expect(request).to.include({ method: 'POST', path: '/hook?x=1' });
    expect(request?.body.toString()).to.equal(event?.body);
    expect(verify({ headers: request?.headers ?? {}, body: request?.body, secret })).to.deep.equal(
      JSON.parse(event?.body ?? ''),
    );
    const [delivery] = await engine.deliveries();
    expect(delivery).to.include({
      state: 'succeeded',
      attempt: 1,
      last_status: 201,
      lease_token: null,
    });
    expect(request?.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'accept-encoding': 'identity',
      'user-agent': 'Paymount/0.1',
      'webhook-id': event?.id,
      'service-delivery': delivery?.id,
      'service-attempt': '1',
    });
    expect(request?.headers).not.to.have.any.keys('service-replay', 'traceparent', 'cookie');
    const [attempt] = await engine.query<Record<string, unknown>>(
      'SELECT * FROM paymount.delivery_attempts',
    );
    expect(attempt).to.include({
      account_id: engine.owner.accountId,
      livemode: false,
      delivery_id: delivery?.id,
      event_id: event?.id,
      event_type: 'charge.succeeded',
      endpoint_id: endpoint,
      attempt: 1,
      outcome: 'succeeded',
      error_code: null,
      url: `${receiver.url}/hook?x=1`,
      remote_address: '127.0.0.1',
      response_status: 201,
      response_truncated: false,
      reused_connection: false,
      redialed: false,
    });
    expect(String(attempt?.['response_body'])).to.equal('thanks');
    expect(attempt?.['response_headers']).to.include({ 'x-seen': 'yes' });
    const sent = attempt?.['request_headers'] as Record<string, string>;
    expect(sent['Service-Signature']).to.equal(request?.headers['service-signature']);
  });

  it('says its version of the product', async () => {
    const { default: manifest } = await import('../../packages/webhooks/package.json', {
      with: { type: 'json' },
    });
    const [major, minor] = manifest.version.split('.');
    await engine.startWorker();
    await engine.endpoint(receiver.url);
    await engine.publish();
    const [request] = await receiver.waitFor(1);
    expect(request?.headers['user-agent']).to.equal(`Paymount/${major}.${minor}`);
  });

  it('waits in the database while no worker runs, and is claimed by the first that starts', async () => {
    await engine.endpoint(receiver.url);
    await engine.publish(3);
    expect(receiver.requests).to.have.length(0);
    await engine.startWorker({ reconcile: true });
    await receiver.waitFor(3);
  });

  it('of a committed transaction of the host is sent, and of a rolled back one never existed', async () => {
    const worker = await engine.startWorker();
    await engine.endpoint(receiver.url);
    const host = knex({ client: 'pg', connection: engine.databaseUrl, pool: { min: 0, max: 2 } });
    const inTransaction = async (end: 'commit' | 'rollback'): Promise<void> => {
      const trx = await host.transaction();
      await engine.publish(1, engine.postgres.using(trx));
      await trx[end]();
    };
    await inTransaction('rollback');
    await inTransaction('commit');
    await receiver.waitFor(1);
    await worker.drain();
    expect(receiver.requests).to.have.length(1);
    expect(await engine.deliveries()).to.have.length(1);
    await host.destroy();
  });

  it('is sent once, whatever number of workers claim', async () => {
    const workers = [
      await engine.startWorker(),
      await engine.startWorker(),
      await engine.startWorker(),
    ];
    await engine.endpoint(receiver.url);
    const other = await startReceiver();
    await engine.endpoint(other.url);
    await engine.publish(150);
    await Promise.all(workers.map((worker) => worker.drain()));
    await Promise.all(workers.map((worker) => worker.drain()));
    for (const { requests } of [receiver, other]) {
      const ids = requests.map(({ headers }) => headers['service-delivery']);
      expect(ids).to.have.length(150);
      expect(new Set(ids).size).to.equal(150);
    }
    const states = (await engine.deliveries()).map(({ state }) => state);
    expect(states.every((state) => state === 'succeeded')).to.equal(true);
    expect(await engine.attempts()).to.have.length(300);
    await other.close();
  });

  it('of an endpoint that fails slowly never takes more than its share of the slots', async () => {
    const worker = await engine.startWorker();
    let open = 0;
    let most = 0;
    let fill: () => void = () => undefined;
    const isFull = new Promise<void>((resolve) => {
      fill = resolve;
    });
    receiver.otherwise(async () => {
      open += 1;
      most = Math.max(most, open);
      if (open === LANES.fast.perEndpoint) fill();
      await isFull;
      // Another one would come within this time.
      await delay(50);
      open -= 1;
      return 500;
    });
    await engine.endpoint(receiver.url);
    await engine.publish(10);
    await worker.drain();
    expect(receiver.requests).to.have.length(10);
    expect(most).to.equal(LANES.fast.perEndpoint);
  });

  it('of an endpoint with a backlog goes on as soon as a slot is free', async function () {
    this.timeout(60_000);
    await engine.endpoint(receiver.url);
    await engine.publish(200);
    const fast = { ...LANES.fast, perEndpoint: 1, perEndpointRelaxed: 1 };
    const worker = await engine.startWorker({ reconcile: true, limits: { fast } });
    // Polls are at least 200 ms apart: one delivery for each would take over 40 s.
    await receiver.waitFor(200, 30_000);
    await worker.drain();
    expect(await engine.attempts()).to.have.length(200);
  });

  it('of a disabled endpoint is not attempted', async () => {
    const { id } = await engine.endpoint(receiver.url);
    await engine.publish();
    await engine.query(
      `UPDATE paymount.webhook_endpoints SET status = 'disabled', disabled_reason = 'manual',
         disabled_at = now() WHERE id = $1`,
      [id],
    );
    const worker = await engine.startWorker();
    await worker.drain();
    expect(receiver.requests).to.have.length(0);
    expect((await engine.deliveries())[0]).to.include({ state: 'pending', attempt: 1 });
  });

  it('reads URL and secret at each attempt', async () => {
    receiver.script(500);
    const moved = await startReceiver();
    const worker = await engine.startWorker();
    const { id } = await engine.endpoint(receiver.url);
    await engine.publish();
    await worker.drain();
    await engine.query('UPDATE paymount.webhook_endpoints SET url = $2 WHERE id = $1', [
      id,
      `${moved.url}/`,
    ]);
    engine.clock.advance(310_000);
    await worker.drain();
    expect(receiver.requests).to.have.length(1);
    expect(moved.requests).to.have.length(1);
    await moved.close();
  });

  it('that cannot be signed uses no attempt, is tried thrice a minute apart, and fails', async () => {
    const { id } = await engine.endpoint(receiver.url);
    await engine.query(
      `UPDATE paymount.endpoint_secrets SET sealed = 'broken' WHERE endpoint_id = $1`,
      [id],
    );
    const worker: Worker = await engine.startWorker();
    await engine.publish();
    await worker.drain();
    for (const after of ['first', 'second']) {
      expect((await engine.deliveries())[0], after).to.include({ state: 'pending', attempt: 1 });
      engine.clock.advance(58_000);
      await worker.drain();
      expect((await engine.deliveries())[0], after).to.include({ state: 'pending', attempt: 1 });
      engine.clock.advance(3_000);
      await worker.drain();
    }
    expect((await engine.deliveries())[0]).to.include({
      state: 'failed',
      last_error: 'unsendable',
    });
    expect(await engine.attempts()).to.have.length(0);
    expect(receiver.requests).to.have.length(0);
    const errors = engine.lines.filter(({ line }) => line.startsWith('error'));
    expect(errors.map(({ line }) => line)).to.deep.equal(
      Array(3).fill('error: A delivery cannot be signed; Paymount tries again in a minute.'),
    );
  });
});
