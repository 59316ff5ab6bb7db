import { expect } from 'chai';
import { createSigningSecret } from 'paymount-receiver/internal';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { makeKey } from '../support/credentials.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { paymount, toJson } from '../support/run-command.ts';
import { type Hook, type WebhookSetting, webhookSetting } from '../support/webhook-setting.ts';

describe('paymount trigger and paymount resend', function () {
  this.timeout(30_000);
  let app: TestApp;
  let merchant: WebhookSetting;
  let receiver: Receiver;
  let hook: Hook;
  let env: Record<string, string>;

  before(async () => {
    app = await startApp();
    merchant = webhookSetting(app);
    receiver = await startReceiver();
    hook = await merchant.register(receiver.url, ['charge.*']);
    env = { PAYMOUNT_API_KEY: app.secretKey, PAYMOUNT_BASE_URL: app.url };
  });
  after(async () => {
    await receiver.close();
    await app.close();
  });

  const stored = async (id: unknown): Promise<Record<string, unknown>> =>
    (await ask(`${app.url}/v1/events/${String(id)}`, { key: app.secretKey })).json;

  it('make an event happen, and say which', async () => {
    const { exitCode, out, err } = await paymount(env, 'trigger', 'charge.failed');
    expect([exitCode, err, out.length]).to.deep.equal([0, [], 1]);
    const [id, type] = out[0]?.split(' ') ?? [];
    expect(type).to.equal('charge.failed');
    const object = { metadata: { triggered: 'true' } };
    expect(await stored(id)).to.containSubset({ id, type, data: { object } });
  });

  it('send overrides as they are written, and the object and endpoint that are named', async () => {
    const overrides = ['--override', 'amount=123', '--override', 'metadata.order="7"'];
    const made = await paymount(env, 'trigger', 'charge.succeeded', ...overrides, '--json');
    expect(made.exitCode, made.said).to.equal(0);
    const object = { amount: 123, metadata: { order: '7', triggered: 'true' } };
    expect(toJson(made)).to.containSubset({ object: 'event', data: { object } });
    expect(await stored(toJson(made)['id'])).to.deep.equal(toJson(made));
    const foreign = `we_${'0'.repeat(26)}`;
    const refused = await paymount(env, 'trigger', 'charge.succeeded', '--endpoint', foreign);
    expect([refused.exitCode, refused.out]).to.deep.equal([1, []]);
    expect(refused.said).to.include(foreign);
    const charge = `ch_${'0'.repeat(26)}`;
    const missing = await paymount(env, 'trigger', 'charge.succeeded', '--object', charge);
    expect([missing.exitCode, missing.said.includes(charge)]).to.deep.equal([1, true]);
  });

  it('send an event again, and say in which deliveries', async () => {
    const event = await merchant.publish();
    await app.worker.drain();
    const before = receiver.requests.length;
    const { exitCode, out } = await paymount(env, 'resend', event);
    expect(exitCode).to.equal(0);
    expect(out).to.have.length(1);
    expect(out[0]).to.match(new RegExp(`^dlv_\\w{26} ${hook.id} pending$`));
    await app.worker.drain();
    expect(receiver.requests.length).to.equal(before + 1);
    expect(receiver.requests.at(-1)?.headers).to.include({
      'webhook-id': event,
      'service-replay': 'true',
    });
    const json = await paymount(env, 'resend', event, '--endpoint', hook.id, '--json');
    expect(toJson(json)).to.containSubset({
      deliveries: [{ object: 'delivery', event, endpoint: hook.id, origin: 'replay' }],
    });
  });

  it('say so when no endpoint receives the event', async () => {
    const { out } = await paymount(env, 'trigger', 'payout.paid');
    const {
      exitCode,
      out: lines,
      err,
    } = await paymount(env, 'resend', out[0]?.split(' ')[0] ?? '');
    expect([exitCode, lines]).to.deep.equal([0, []]);
    expect(err.join()).to.include('No endpoint takes this event');
  });

  it('end with 1 and the words of the API when it refuses', async () => {
    const unknown = await paymount(env, 'resend', `evt_${'0'.repeat(26)}`);
    expect(unknown.exitCode).to.equal(1);
    expect(unknown.said).to.match(/^paymount: No such event: evt_0{26} \(req_\w{26}\)$/);
    const type = await paymount(env, '--json', 'trigger', 'charge.exploded');
    expect(type.exitCode).to.equal(1);
    expect(JSON.parse(type.said).error).to.include({ code: 'parameter_invalid' });
    const { secret } = await makeKey(app.paymount, app.account, {
      type: 'restricted',
      scopes: ['charges:read'],
    });
    const weak = await paymount({ ...env, PAYMOUNT_API_KEY: secret }, 'trigger', 'payout.paid');
    expect([weak.exitCode, weak.said.includes('webhooks:write')]).to.deep.equal([1, true]);
    const nothing = await paymount(env, 'resend', '../charges');
    expect([nothing.exitCode, nothing.said]).to.deep.equal([
      2,
      'paymount: An event has an id such as evt_...',
    ]);
  });

  it('post once, however often the connection breaks', async () => {
    const flaky = await startReceiver();
    try {
      flaky.script('reset', 'close', { status: 200, body: '{"id":"evt_1","type":"payout.paid"}' });
      const { exitCode, out } = await paymount(
        { ...env, PAYMOUNT_BASE_URL: `${flaky.url}/pay/` },
        'trigger',
        'payout.paid',
      );
      expect([exitCode, out]).to.deep.equal([0, ['evt_1 payout.paid']]);
      const keys = flaky.requests.map(({ headers }) => headers['idempotency-key']);
      expect(keys[0]).to.match(/^[0-9a-f-]{36}$/);
      expect(keys).to.deep.equal([keys[0], keys[0], keys[0]]);
      expect(flaky.requests.map(({ path }) => path)).to.deep.equal(
        Array(3).fill('/pay/v1/test_helpers/events'),
      );
      flaky.script('reset', 'reset', 'reset');
      const lost = await paymount(
        { ...env, PAYMOUNT_BASE_URL: flaky.url },
        'trigger',
        'payout.paid',
      );
      expect([lost.exitCode, flaky.requests.length]).to.deep.equal([1, 6]);
      expect(lost.said).to.include('The API cannot be reached');
    } finally {
      await flaky.close();
    }
  });

  it('say that it is not Paymount which answers, and show no terminal what would move its cursor', async () => {
    const other = await startReceiver();
    try {
      const elsewhere = { ...env, PAYMOUNT_BASE_URL: other.url };
      for (const answer of [
        200,
        404,
        { redirect: app.url },
        { status: 200, body: '[]' },
      ] as const) {
        other.script(answer);
        const { exitCode, said } = await paymount(elsewhere, 'trigger', 'payout.paid');
        expect([exitCode, /is not Paymount/.test(said)], said).to.deep.equal([1, true]);
      }
      const message = '\u001b[2Jgone\u0007 \u202eback';
      other.script({ status: 400, body: JSON.stringify({ error: { code: 'x', message } }) });
      const { said } = await paymount(elsewhere, 'trigger', 'payout.paid');
      expect(said).to.equal('paymount:  [2Jgone   back');
    } finally {
      await other.close();
    }
  });

  it('end with 1, saying so, when the API changes the protocol', async () => {
    const other = await startReceiver();
    try {
      other.otherwise('upgrade');
      const elsewhere = { ...env, PAYMOUNT_BASE_URL: other.url };
      for (const args of [
        ['trigger', 'payout.paid'],
        ['resend', 'evt_1'],
      ]) {
        const { exitCode, said } = await paymount(elsewhere, ...args);
        expect([exitCode, said]).to.deep.equal([
          1,
          'paymount: The API cannot be reached: it answered 101, another protocol that nobody asked for.',
        ]);
      }
    } finally {
      await other.close();
    }
  });

  it('name the flag that the API finds fault with', async () => {
    for (const [flags, message] of [
      [['--override', 'nope=1'], 'There is no parameter --override nope here.'],
      [['--override', 'metadata=1'], '--override metadata must be an object.'],
      [['--override', 'description=1'], '--override description must be a text.'],
      [['--override', 'amount=-1'], '--override amount: An amount is at least 1 minor unit.'],
      [['--object', 'x'], '--object: No such charge.'],
      [['--endpoint', 'x'], '--endpoint: No such webhook endpoint.'],
    ] as const) {
      const { exitCode, said } = await paymount(env, 'trigger', 'charge.succeeded', ...flags);
      expect(exitCode, said).to.equal(1);
      expect(said.replace(/ \(req_\w+\)$/, '')).to.equal(`paymount: ${message}`);
    }
  });

  it('accept no secret on the command line, and repeat none', async () => {
    const api = await startReceiver();
    const elsewhere = { ...env, PAYMOUNT_BASE_URL: api.url };
    try {
      for (const secret of [app.secretKey, app.secretKey.slice(0, -3), createSigningSecret()]) {
        for (const args of [
          ['trigger', secret],
          ['trigger', 'payout.paid', '--key-file', secret],
          ['trigger', 'payout.paid', '--override', `metadata.key=${secret}`],
          ['trigger', 'payout.paid', '--object', secret],
          ['trigger', 'payout.paid', `--key=${secret}`],
          ['trigger', 'payout.paid', secret],
          ['resend', secret],
          ['resend', 'evt_1', '--endpoint', secret],
          ['listen', '--forward-to', api.url, '--types', `charge.*,${secret}`],
          ['listen', '--forward-to', `${api.url}/${secret}`],
          ['listen', '--base-url', `${api.url}/${secret}`, '--print-secret'],
          [secret],
        ]) {
          const { exitCode, said } = await paymount(elsewhere, ...args);
          expect([exitCode, said.includes(secret.slice(8, -4))]).to.deep.equal([2, false]);
        }
      }
      expect(api.connections).to.equal(0);
    } finally {
      await api.close();
    }
  });

  it('show their key nowhere', async () => {
    const outcomes = await Promise.all([
      paymount(env, 'trigger', 'payout.paid', '--json'),
      paymount(env, 'resend', 'evt_1'),
      paymount({ ...env, PAYMOUNT_BASE_URL: 'http://127.0.0.1:9' }, 'resend', 'evt_1'),
      paymount({ ...env, PAYMOUNT_BASE_URL: '' }, 'trigger', 'payout.paid'),
      paymount(env, 'trigger', 'payout.paid', app.secretKey),
    ]);
    for (const { said } of outcomes) expect(said).to.not.include(app.secretKey.slice(8, -4));
  });
});
