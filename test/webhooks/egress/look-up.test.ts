import { createLookUp, type DeliveryClient } from '@paymount/webhooks';
import { expect } from 'chai';
import { send, testClient, toOutcome } from './client.ts';
import { type NameServer, startNameServer } from './name-server.ts';
import { answerAll, http, type RawServer, startRawServer } from './raw-server.ts';

/** As a resolver of an IPv6 network makes it up: 64:ff9b::127.0.0.1. */
const TRANSLATED = Uint8Array.from([0, 0x64, 0xff, 0x9b, ...Array(8).fill(0), 127, 0, 0, 1]);
const LOOPBACK_IPV6 = Uint8Array.from([...Array(15).fill(0), 1]);

describe('A name', () => {
  let names: NameServer;
  let receiver: RawServer;
  let client: DeliveryClient;

  before(async () => {
    receiver = await startRawServer(answerAll(http('200 OK')));
    names = await startNameServer({
      'good.example.com': { ipv4: ['127.0.0.1'] },
      'both.example.com': { ipv4: ['127.0.0.1'], ipv6: [LOOPBACK_IPV6] },
      'translated.example.com': { ipv4: ['127.0.0.1'], ipv6: [TRANSLATED] },
      'inner.example.com': { ipv4: ['127.0.0.1', '10.0.0.1'] },
      'empty.example.com': {},
      'broken.example.com': 'failure',
      'silent.example.com': 'silence',
    });
    client = testClient({
      ports: [receiver.port],
      lookUp: createLookUp({ servers: [names.address], timeoutMs: 100 }),
    });
  });

  after(async () => {
    await client.close();
    await receiver.close();
    names.close();
  });

  const sendTo = async (host: string): Promise<Record<string, unknown>> =>
    toOutcome(await send(client, `http://${host}:${receiver.port}/`));

  it('with an address is delivered to, and the duration of the look-up is recorded', async () => {
    const result = await send(client, `http://good.example.com:${receiver.port}/`);
    expect(toOutcome(result)).to.include({ outcome: 'succeeded' });
    for (const ms of [result.dnsMs, result.connectMs, result.waitMs]) expect(ms).to.be.at.least(0);
  });

  it('is blocked when its IPv6 address is, although its IPv4 address is allowed', async () => {
    expect(await sendTo('both.example.com')).to.include({ errorCode: 'blocked_address' });
    expect(await sendTo('inner.example.com')).to.include({ errorCode: 'blocked_address' });
  });

  it('is delivered to when its IPv6 address is one that a resolver made up', async () => {
    expect(await sendTo('translated.example.com')).to.include({ outcome: 'succeeded' });
  });

  for (const host of ['nobody', 'empty', 'broken']) {
    it(`that is "${host}" is a dns failure`, async () => {
      expect(await sendTo(`${host}.example.com`)).to.deep.equal({
        outcome: 'failed',
        errorCode: 'dns',
      });
    });
  }

  it('of a silent name server is a dns failure after two tries', async () => {
    const result = await send(client, `http://silent.example.com:${receiver.port}/`);
    expect(toOutcome(result)).to.deep.equal({ outcome: 'failed', errorCode: 'dns' });
    expect(result.durationMs).to.be.within(195, 3_000);
  });
});
