import { once } from 'node:events';
import { expect } from 'chai';
import { verify } from 'paymount/receiver';
import { createSigningSecret } from 'paymount-receiver/internal';
import { Forwarder } from '../../../packages/cli/src/listen/forwarder.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';

const ID = `evt_${'0'.repeat(26)}`;
const BODY = JSON.stringify({
  id: ID,
  object: 'event',
  type: 'charge.succeeded',
  api_version: '2026-11-01',
  created: '2026-11-21T09:30:00.000Z',
  livemode: false,
  data: { object: { id: 'ch_1', note: 'café 😀' } },
});
const EVENT = { id: ID, type: 'charge.succeeded', body: BODY };

describe('the forwarder of events', () => {
  const secret = createSigningSecret();
  let receiver: Receiver;
  let forwarder: Forwarder;
  let stop: AbortController;

  beforeEach(async () => {
    receiver = await startReceiver();
    stop = new AbortController();
    const { signal } = stop;
    forwarder = new Forwarder({ url: receiver.url, secret, stop: signal, limitMs: 200 });
  });
  afterEach(() => receiver.close());

  it('signs it as deliveries are signed', async () => {
    expect(await forwarder.forward(EVENT)).to.have.all.keys('status', 'ms');
    const [{ body, headers } = { body: '', headers: {} }] = receiver.requests;
    expect(verify({ body, headers, secret })).to.deep.equal(JSON.parse(BODY));
    expect(() => verify({ body, headers, secret: createSigningSecret() })).to.throw(
      'No signature matches',
    );
  });

  it('takes a change of the protocol for no answer, and cuts the connection', async () => {
    receiver.script('upgrade');
    const { error, status } = await forwarder.forward(EVENT);
    const expected = 'it answered 101, another protocol that nobody asked for';
    expect([error, status]).to.deep.equal([expected, undefined]);
    const [{ socket } = {}] = receiver.requests;
    if (socket?.closed === false) await once(socket, 'close');
  });

  it('waits no longer than its limit for an answer, and not for the rest of one', async () => {
    receiver.script('hang', { drip: 'headers', everyMs: 20 }, { drip: 'body', everyMs: 20 });
    for (const expected of [
      'no answer within 0.2 s (ETIMEDOUT)',
      'no answer within 0.2 s (ETIMEDOUT)',
    ]) {
      const { error, ms } = await forwarder.forward(EVENT);
      expect([error, ms >= 190 && ms < 1_000]).to.deep.equal([expected, true]);
    }
    expect((await forwarder.forward(EVENT)).status).to.equal(200);
  });

  it('reports a response that is not HTTP, and reads no more of a response than necessary', async () => {
    receiver.script('garbage', { status: 200, body: Buffer.alloc(5 * 2 ** 20) });
    expect((await forwarder.forward(EVENT)).error).to.match(/HPE_/);
    expect((await forwarder.forward(EVENT)).status).to.equal(200);
  });

  it('stops at once when it is aborted', async () => {
    receiver.script('hang');
    const forwarded = forwarder.forward(EVENT);
    await receiver.waitFor(1);
    stop.abort();
    const { error, ms } = await forwarded;
    expect([typeof error, ms < 190]).to.deep.equal(['string', true]);
  });
});
