import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type KeyProvider, SecretBox, toSealingKeys } from '@paymount/auth';
import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { verify } from 'paymount/receiver';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receiver.ts';
import { sealingKey } from '../support/secrets-setting.ts';

/** A key service on loopback: `GET /current` and `GET /keys/<name>`. */
interface KeyService {
  readonly provider: KeyProvider;
  /** What it was asked so far. */
  readonly asked: string[];
  keys: ReturnType<typeof sealingKey>[];
  state: 'up' | 'failing' | 'silent';
  close(): Promise<void>;
}

async function startKeyService(): Promise<KeyService> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    service.asked.push(path);
    if (service.state === 'silent') return;
    const key =
      path === '/current'
        ? service.keys[0]
        : service.keys.find(({ kid }) => path === `/keys/${kid}`);
    if (service.state === 'failing') response.writeHead(500).end();
    else if (key === undefined) response.writeHead(404).end();
    else response.end(JSON.stringify(key));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`the key service answered ${response.status}`);
    return (await response.json()) as ReturnType<typeof sealingKey>;
  };
  const service: KeyService = {
    provider: {
      current: async () => (await ask('/current')) ?? sealingKey('none'),
      byKid: (kid) => ask(`/keys/${encodeURIComponent(kid)}`),
    },
    asked: [],
    keys: [sealingKey('kms-1')],
    state: 'up',
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return service;
}

const CONTEXT = 'endpoint_secrets.sealed:whs_1';

describe('sealing keys of a key service', function () {
  this.timeout(20_000);
  let service: KeyService;
  let clock: FakeClock;
  beforeEach(async () => {
    service = await startKeyService();
    clock = fakeClock();
  });
  afterEach(() => service.close());

  const box = () => new SecretBox(toSealingKeys(service.provider, clock));

  async function expectFailure(work: Promise<unknown>): Promise<{ code: string; cause: string }> {
    const error = await work.catch((reason: unknown) => reason);
    if (!PaymountError.is(error)) throw new Error(`not refused in our words: ${String(error)}`);
    return { code: error.code, cause: error.cause instanceof Error ? error.cause.message : '' };
  }

  it('are asked for once, and again after 60 s', async () => {
    const sealer = box();
    const sealed = await Promise.all(
      Array.from({ length: 20 }, () => sealer.seal('whsec_1', CONTEXT)),
    );
    expect(service.asked).to.deep.equal(['/current']);
    for (const one of sealed) expect(await sealer.open(one.sealed, CONTEXT)).to.equal('whsec_1');
    expect(service.asked).to.deep.equal(['/current', '/keys/kms-1']);
    clock.advance(59_000);
    await sealer.seal('whsec_1', CONTEXT);
    expect(service.asked).to.have.length(2);
    clock.advance(2_000);
    service.keys.unshift(sealingKey('kms-2'));
    expect((await sealer.seal('whsec_1', CONTEXT)).kid).to.equal('kms-2');
    expect(await sealer.open(sealed[0]?.sealed ?? '', CONTEXT)).to.equal('whsec_1');
    expect(service.asked.slice(2)).to.deep.equal(['/current', '/keys/kms-1']);
  });

  it('are out of reach when the service fails, and used again once it does not', async () => {
    const sealer = box();
    service.state = 'failing';
    expect(await expectFailure(sealer.seal('whsec_1', CONTEXT))).to.deep.equal({
      code: 'unavailable',
      cause: 'The key provider failed: the key service answered 500',
    });
    service.state = 'up';
    expect((await sealer.seal('whsec_1', CONTEXT)).kid).to.equal('kms-1');
  });

  it('are out of reach when the service is silent for 5 s', async () => {
    service.state = 'silent';
    const startedMs = performance.now();
    expect(await expectFailure(box().seal('whsec_1', CONTEXT))).to.deep.equal({
      code: 'unavailable',
      cause: 'The key provider failed: No answer within 5000 ms.',
    });
    expect(performance.now() - startedMs).to.be.within(4_900, 9_000);
  });

  it('are never requested with an invalid name', async () => {
    const sealer = box();
    const { sealed } = await sealer.seal('whsec_1', CONTEXT);
    const [, ...rest] = sealed.split('.');
    const header = { alg: 'A256KW', enc: 'A256GCM', kid: '../admin', ctx: CONTEXT };
    const forged = [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.');
    const error = await sealer.open(forged, CONTEXT).catch((reason: unknown) => reason);
    expect(String(error)).to.contain('The key ring does not contain the key "../admin".');
    expect(service.asked).to.deep.equal(['/current']);
  });

  it('are refused when the service answers with another key', async () => {
    const sealer = box();
    const { sealed } = await sealer.seal('whsec_1', CONTEXT);
    const other = new SecretBox(
      toSealingKeys({ ...service.provider, byKid: () => sealingKey('kms-9') }, clock),
    );
    const error = await other.open(sealed, CONTEXT).catch((reason: unknown) => reason);
    expect(String(error)).to.contain('was asked for the key kms-1 and gave kms-9');
  });

  it('that do not open what they sealed are refused at the start', async () => {
    const sealingKeys = { ...service.provider, byKid: (kid: string) => sealingKey(kid) };
    const started = await startApp({ paymount: { sealingKeys } }).catch((error: unknown) => error);
    expect(String(started)).to.equal(
      'Error: The sealing key "kms-1" does not open what it sealed: its provider gives two keys one name, or cannot find it by its name.',
    );
  });

  describe('in a mount', () => {
    let app: TestApp;
    let receiver: Receiver;
    beforeEach(async () => {
      receiver = await startReceiver();
      app = await startApp({ paymount: { sealingKeys: service.provider, clock } });
    });
    afterEach(async () => {
      await app.close();
      await receiver.close();
    });

    const eventOf = (request: ReceivedRequest | undefined, secret: string) =>
      verify({ body: request?.body, headers: request?.headers ?? {}, secret, now: clock.now() });

    const charge = () =>
      app.paymount.charges.create(app.acting, {
        amount: 4200,
        currency: 'eur',
        payment_method: 'pm_card_visa',
      });

    it('make deliveries wait as long as necessary, and lose none', async () => {
      const { secret = '' } = await app.paymount.webhookEndpoints.create(app.acting, {
        url: receiver.url,
        enabled_events: ['charge.succeeded'],
      });
      await charge();
      const [first] = await receiver.waitFor(1);
      expect(eventOf(first, secret).type).to.equal('charge.succeeded');

      service.state = 'failing';
      clock.advance(61_000);
      await charge();
      for (let minute = 0; minute < 5; minute += 1) {
        await app.worker.drain();
        clock.advance(61_000);
      }
      expect(receiver.requests).to.have.length(1);
      const rows = await query<{ state: string }>(
        app.databaseUrl,
        'SELECT state FROM paymount.deliveries ORDER BY id',
      );
      expect(rows.map(({ state }) => state)).to.deep.equal(['succeeded', 'pending']);

      service.state = 'up';
      // The worker may have put it off once more just before.
      for (let minute = 0; minute < 2; minute += 1) {
        await app.worker.drain();
        clock.advance(61_000);
      }
      await app.worker.drain();
      const [, second] = await receiver.waitFor(2);
      expect(eventOf(second, secret).type).to.equal('charge.succeeded');
      expect(second?.headers['service-attempt']).to.equal('1');
    });
  });
});
