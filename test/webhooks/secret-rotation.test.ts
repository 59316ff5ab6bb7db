import { expect } from 'chai';
import { SignatureError, verify } from 'paymount-receiver';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, postForm, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receiver.ts';

const HOUR_MS = 3_600_000;

describe('A rotated signing secret', () => {
  const clock = fakeClock();
  let app: TestApp;
  let receiver: Receiver;
  let path: string;
  let first: string;

  before(async () => {
    app = await startApp({ paymount: { clock } });
  });
  after(() => app.close());

  beforeEach(async () => {
    receiver = await startReceiver();
    const made = await post(
      '/v1/webhook_endpoints',
      `url=${encodeURIComponent(receiver.url)}&enabled_events[]=*`,
    );
    path = `/v1/webhook_endpoints/${String(made.json['id'])}`;
    first = String(made.json['secret']);
  });
  afterEach(async () => {
    await ask(app.url + path, { method: 'DELETE', key: app.secretKey });
    await receiver.close();
  });

  const post = (to: string, form: string, more: Ask = {}): Promise<Reply> =>
    postForm(app.url + to, form, { key: app.secretKey, ...more });

  async function rotated(form: string): Promise<string> {
    const { status, json, text } = await post(`${path}/rotate_secret`, form);
    expect(status, text).to.equal(200);
    expect(json['object']).to.equal('webhook_endpoint');
    return String(json['secret']);
  }

  /** Takes a charge, and waits for what the endpoint is told of it. */
  async function delivered(): Promise<ReceivedRequest> {
    const before = receiver.requests.length;
    await post('/v1/charges', 'amount=500&currency=eur&source=tok_visa');
    const request = (await receiver.waitFor(before + 1))[before];
    if (request === undefined) throw new Error('nothing was delivered');
    return request;
  }

  function verdict({ headers, body }: ReceivedRequest, secret: string): string {
    try {
      verify({ headers, body, secret, now: clock.now() });
      return 'valid';
    } catch (error) {
      return error instanceof SignatureError ? error.code : String(error);
    }
  }

  it('signs beside the new one until the overlap ends, and no longer', async () => {
    const second = await rotated('overlap_seconds=3600');
    expect(second)
      .to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
      .and.not.equal(first);
    const during = await delivered();
    expect([verdict(during, first), verdict(during, second)]).to.deep.equal(['valid', 'valid']);
    expect(String(during.headers['service-signature']).match(/v1=/g)).to.have.lengthOf(2);
    clock.advance(HOUR_MS + 1);
    const after = await delivered();
    expect([verdict(after, first), verdict(after, second)]).to.deep.equal([
      'signature_mismatch',
      'valid',
    ]);
  });

  it('ends at once with overlap_seconds=0, whatever an earlier rotation left it', async () => {
    const second = await rotated('overlap_seconds=604800');
    const third = await rotated('overlap_seconds=0');
    const request = await delivered();
    expect([first, second, third].map((secret) => verdict(request, secret))).to.deep.equal([
      'signature_mismatch',
      'signature_mismatch',
      'valid',
    ]);
  });

  it('has an overlap of a day by default', async () => {
    const second = await rotated('');
    clock.advance(24 * HOUR_MS - 1_000);
    expect(verdict(await delivered(), first)).to.equal('valid');
    clock.advance(2_000);
    const request = await delivered();
    expect(verdict(request, first)).to.equal('signature_mismatch');
    expect(verdict(request, second)).to.equal('valid');
  });

  it('is refused as a fourth that would sign, until one expires', async () => {
    await rotated('overlap_seconds=60');
    await rotated('overlap_seconds=3600');
    const refused = await post(`${path}/rotate_secret`, 'overlap_seconds=60');
    expect([refused.status, refused.error['code']]).to.deep.equal([409, 'secret_rotation_limit']);
    clock.advance(60_001);
    await rotated('overlap_seconds=60');
  });

  it('is rotated once per Idempotency-Key, whose answer shows the same secret again', async () => {
    const headers = { 'idempotency-key': 'rotate-once' };
    const once = await post(`${path}/rotate_secret`, 'overlap_seconds=0', { headers });
    const again = await post(`${path}/rotate_secret`, 'overlap_seconds=0', { headers });
    expect(again.headers['idempotent-replayed']).to.equal('true');
    expect(again.text).to.equal(once.text);
    expect(verdict(await delivered(), String(once.json['secret']))).to.equal('valid');
    const kept = await ask(app.url + path, { key: app.secretKey });
    expect(kept.json).not.to.have.property('secret');
  });

  it('is never rotated with an overlap of more than a week, nor at an unknown endpoint', async () => {
    const long = await post(`${path}/rotate_secret`, 'overlap_seconds=604801');
    expect(long.error).to.include({ code: 'parameter_invalid', param: 'overlap_seconds' });
    const none = `/v1/webhook_endpoints/we_${'0'.repeat(26)}/rotate_secret`;
    expect((await post(none, '')).status).to.equal(404);
  });
});
