import { expect } from 'chai';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type ConnectProxy, startConnectProxy } from './egress/connect-proxy.ts';
import { type Engine, makeEngine } from './engine.ts';

const MINUTE = 60_000;
const OPENED = 'HTTP/1.1 200 OK\r\n\r\n';
const WRONG_CREDENTIALS =
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n';

describe('A delivery while the proxy of the host is unavailable', () => {
  let engine: Engine;
  let receiver: Receiver;
  let proxy: ConnectProxy;
  let response = OPENED;

  beforeEach(async () => {
    engine = await makeEngine();
    receiver = await startReceiver();
    response = WRONG_CREDENTIALS;
    proxy = await startConnectProxy(Number(new URL(receiver.url).port), () => response);
    await engine.endpoint(receiver.url);
  });

  afterEach(async () => {
    await engine.close();
    await proxy.close();
    await receiver.close();
  });

  it('waits a minute each time, uses no attempt, and is sent afterwards', async () => {
    const worker = await engine.startWorker({ proxy: proxy.url });
    await engine.publish();
    for (let minute = 1; minute <= 5; minute += 1) {
      await worker.drain();
      const [delivery] = await engine.deliveries();
      expect(delivery).to.include({ state: 'pending', attempt: 1, last_error: null });
      expect(proxy.connections).to.equal(minute);
      engine.clock.advance(MINUTE + 1_000);
    }
    expect(await engine.attempts()).to.deep.equal([]);
    expect(engine.lines.filter(({ line }) => line.startsWith('error'))).to.have.length(5);
    response = OPENED;
    await worker.drain();
    const [delivery] = await engine.deliveries();
    expect(delivery).to.include({ state: 'succeeded', attempt: 1 });
    expect(receiver.requests).to.have.length(1);
  });

  it('uses an attempt when the proxy refuses to connect to the receiver', async () => {
    response = 'HTTP/1.1 503 Service Unavailable\r\n\r\n';
    const worker = await engine.startWorker({ proxy: proxy.url });
    await engine.publish();
    await worker.drain();
    const [delivery] = await engine.deliveries();
    expect(delivery).to.include({ state: 'pending', attempt: 2 });
    const [attempt] = await engine.query<Record<string, unknown>>(
      'SELECT * FROM paymount.delivery_attempts',
    );
    expect(attempt).to.include({
      outcome: 'failed',
      error_code: 'connection',
      error_detail: 'proxy_refused',
      remote_address: null,
    });
  });
});
