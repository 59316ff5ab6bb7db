import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, JSON_TYPE, postForm, postJson, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { makeKey } from '../support/credentials.ts';
import { LiveBank } from '../support/live-bank.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { tableContents } from '../support/table-contents.ts';

describe('an event triggered with a key of live', () => {
  let app: TestApp;
  let receiver: Receiver;
  let endpoint: string;
  let charge: string;
  let secret: string;
  let restricted: string;

  before(async () => {
    app = await startApp({
      mount: (host, paymount) => {
        host.use('/test', paymount.router({ environment: 'test' }));
        host.use('/live', paymount.router({ environment: 'live' }));
      },
      paymount: { processors: { live: new LiveBank(fakeClock()) } },
    });
    const environment = 'live';
    const { paymount, account } = app;
    secret = (await makeKey(paymount, account, { environment })).secret;
    const scoped = { environment, type: 'restricted', scopes: ['webhooks:write'] } as const;
    restricted = (await makeKey(paymount, account, scoped)).secret;
    receiver = await startReceiver({ tls: true });
    const hook = { url: `https://127.0.0.1:${receiver.port}/`, enabled_events: ['*'] } as const;
    endpoint = (await paymount.webhookEndpoints.create({ account, environment }, hook)).id;
    const live = { key: secret };
    const card = 'type=card&card[token]=tok_visa';
    const method = await postForm(`${app.url}/live/v1/payment_methods`, card, live);
    const sale = `amount=100&currency=eur&payment_method=${String(method.json['id'])}`;
    charge = String((await postForm(`${app.url}/live/v1/charges`, sale, live)).json['id']);
    await app.worker.drain();
  });
  after(async () => {
    await app.close();
    await receiver.close();
  });

  const trigger = (mount: string, body: unknown, more: Ask): Promise<Reply> =>
    postJson(`${app.url}/${mount}/v1/test_helpers/events`, body, more);

  it('is refused before anything of it is read, stored or sent', async () => {
    const type = 'charge.succeeded';
    const bodies = [
      { type },
      { type, endpoint },
      { type, object: charge },
      { type, overrides: { livemode: true } },
      { type: 'charge.unknown' },
      {},
      '{',
      '[]',
    ];
    const before = await tableContents(app.databaseUrl);
    const connections = receiver.connections;
    for (const key of [secret, restricted]) {
      for (const body of bodies) {
        const headers = { 'idempotency-key': randomUUID() };
        const reply = await trigger('live', body, { key, headers });
        expect([reply.status, reply.error['code']], JSON.stringify(body)).to.deep.equal([
          400,
          'test_mode_only',
        ]);
        expect(reply.error).to.not.have.property('param');
      }
      const unread = { key, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: 'x' };
      const reply = await ask(`${app.url}/live/v1/test_helpers/events`, unread);
      expect(reply.error['code']).to.equal('test_mode_only');
    }
    await app.worker.drain();
    expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
    expect(receiver.connections).to.equal(connections);
  });

  it('is refused as of the wrong environment where the mount is of test, and a key of test in live', async () => {
    const { account, paymount } = app;
    const ofTest = (await makeKey(paymount, account)).secret;
    for (const [mount, key] of [
      ['test', secret],
      ['test', restricted],
      ['live', ofTest],
    ] as const) {
      const reply = await trigger(mount, { type: 'payout.paid' }, { key });
      expect([reply.status, reply.error['code']]).to.deep.equal([401, 'livemode_mismatch']);
    }
    const admitted = await trigger('test', { type: 'payout.paid' }, { key: ofTest });
    expect(admitted.status).to.equal(200);
  });

  it('is refused for want of the scope first, and to browsers', async () => {
    const { account, paymount } = app;
    const environment = 'live';
    const scoped = { environment, type: 'restricted', scopes: ['charges:write'] } as const;
    const browser = await makeKey(paymount, account, { environment, type: 'publishable' });
    for (const [key, code] of [
      [(await makeKey(paymount, account, scoped)).secret, 'insufficient_scope'],
      [browser.secret, 'publishable_key_not_allowed'],
    ] as const) {
      const reply = await trigger('live', { type: 'payout.paid' }, { key });
      expect([reply.status, reply.error['code']]).to.deep.equal([403, code]);
    }
  });
});
