import { expect } from 'chai';
import pg from 'pg';
import { ask } from '../support/ask.ts';
import { makeAccount, makeKey } from '../support/credentials.ts';
import { type ProxiedHost, startProxiedHost } from './proxied-host.ts';

const REQUESTS = 400;
const BOUND_MS = 500;

/** The real clock runs here. */
describe('a key that is used all the time', () => {
  let host: ProxiedHost;
  let key: { readonly id: string; readonly secret: string };

  before(async () => {
    host = await startProxiedHost({ rateLimit: false });
    key = await makeKey(host.paymount, await makeAccount(host.paymount, 'A busy shop'));
  });
  after(() => host.close());

  const use = async (): Promise<number> =>
    (await ask(`${host.url}/v1/balance`, { key: key.secret })).status;

  it('is refused within 500 ms of its revocation', async () => {
    const { id, secret } = await makeKey(
      host.paymount,
      await makeAccount(host.paymount, 'A shop whose key leaked'),
    );
    const status = async (): Promise<number> =>
      (await ask(`${host.url}/v1/balance`, { key: secret })).status;
    for (let used = 0; used < 50; used += 1) expect(await status()).to.equal(200);
    await host.paymount.keys.revoke(id as never, { reason: 'leak' });
    const revokedMs = performance.now();
    let lastAcceptMs = revokedMs;
    while (performance.now() < revokedMs + 2 * BOUND_MS) {
      const askedMs = performance.now();
      if ((await status()) === 200) lastAcceptMs = askedMs;
    }
    expect(lastAcceptMs - revokedMs).to.be.below(BOUND_MS);
    expect(await status()).to.equal(401);
  });

  it('costs the database no write for each use, and one for all of them together', async function () {
    this.timeout(30_000);
    await use();
    const { proxy } = host;
    const before = proxy.bytes;
    const startedMs = performance.now();
    for (let used = 1; used < REQUESTS; used += 1) expect(await use()).to.equal(200);
    const elapsedMs = performance.now() - startedMs;

    const asked = proxy.since(before);
    // Each flush names the statement after its portal; a connection prepares it once besides.
    const flushes = asked.split('\\u0000pm_key_usage_flush_').length - 1;
    expect(flushes).to.be.at.most(1 + Math.floor(elapsedMs / 10_000));
    expect(asked).to.not.match(/(?:UPDATE|INTO)[^;]{0,40}api_keys/);

    await host.stop();
    const client = new pg.Client({ connectionString: host.databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ requests: string }>(
      `SELECT sum(succeeded) AS requests FROM paymount.key_usage_hourly WHERE key_id = $1`,
      [key.id],
    );
    await client.end();
    expect(Number(rows[0]?.requests)).to.equal(REQUESTS);
  });
});
