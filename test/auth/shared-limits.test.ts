import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { RateLimitOptions } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { eventually } from '../support/eventually.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { keptLog } from '../support/kept-log.ts';
import { ownRedis, type RedisServer } from '../support/redis.ts';

/** Refilled too slowly to matter here. */
const TEN: RateLimitOptions = {
  shared: true,
  key: { test: { requests: 10, seconds: 36_000 } },
};

interface Host extends TestHost {
  readonly lines: readonly { level: string; text: string }[];
}

describe('rate limits that hosts share through Redis', function () {
  this.timeout(30_000);
  let redis: RedisServer;
  let app: TestApp;
  const opened: Host[] = [];

  before(async function () {
    redis = await ownRedis(this);
    app = await startApp();
  });
  afterEach(async () => {
    for (const host of opened.splice(0)) await host.close();
  });
  after(async () => {
    await app?.close();
    await redis?.stop();
  });

  /** A host of its own on the database and the Redis of this file. */
  async function openHost(rateLimit: RateLimitOptions, url = redis.url): Promise<Host> {
    const log = keptLog();
    const started = await startHost(app, { paymount: { logger: log, redis: url, rateLimit } });
    const host = { ...started, lines: log.lines };
    opened.push(host);
    return host;
  }

  async function newKey(): Promise<string> {
    const made = { account: app.account, livemode: false, type: 'secret' } as const;
    return (await app.paymount.keys.create({ ...made, name: 'Shared' })).secret;
  }

  async function askStatus(host: Host, key: string): Promise<number> {
    return (await ask(`${host.url}/v1/charges?limit=1`, { key })).status;
  }

  /** Asks until the host's connection to Redis has counted something. */
  async function warmUp(...hosts: readonly Host[]): Promise<void> {
    const client = new Redis(redis.url);
    for (const host of hosts) {
      let key = await newKey();
      await eventually(async () => {
        // What the process refuses by itself it tells nobody.
        if ((await askStatus(host, key)) === 429) key = await newKey();
        return (await client.keys('paymount:limit:key.test:*')).length > 0;
      });
      await client.flushall();
    }
    client.disconnect();
  }

  /**
   * What the hosts answer while Redis counts for them. A host that had no answer of Redis within
   * 50 ms counts by itself for a second and says so; on a busy machine that happens, and the work is
   * done again.
   */
  async function whileRedisCounts<Result>(
    hosts: readonly Host[],
    work: () => Promise<Result>,
    warm = warmUp,
  ): Promise<Result> {
    const late = (): number =>
      hosts.flatMap(({ lines }) => lines).filter(({ text }) => text.startsWith('Redis does not'))
        .length;
    for (let tries = 0; tries < 10; tries += 1) {
      await warm(...hosts);
      const before = late();
      const result = await work();
      if (late() === before) return result;
    }
    throw new Error('Redis never answered in time.');
  }

  it('allow all hosts together as many requests as one host alone', async () => {
    const [one, other] = [await openHost(TEN), await openHost(TEN)];
    const { found, key } = await whileRedisCounts([one, other], async () => {
      const key = await newKey();
      const found: number[] = [];
      for (let n = 0; n < 14; n += 1) found.push(await askStatus(n % 2 === 0 ? one : other, key));
      return { found, key };
    });
    expect(found).to.deep.equal([...Array(10).fill(200), ...Array(4).fill(429)]);
    const told = (await ask(`${other.url}/v1/charges`, { key })).headers;
    expect(told['ratelimit']).to.equal('"key";r=0;t=3600');
    expect(told['retry-after']).to.equal('3600');
  });

  it('allow the same number when all send requests at once', async () => {
    const [one, other] = [await openHost(TEN), await openHost(TEN)];
    const found = await whileRedisCounts([one, other], async () => {
      const key = await newKey();
      const asked = Array.from({ length: 40 }, (_, n) => askStatus(n % 2 === 0 ? one : other, key));
      return Promise.all(asked);
    });
    expect(found.filter((status) => status === 200)).to.have.length(10);
    expect(found.filter((status) => status === 429)).to.have.length(30);
  });

  it('refill as in memory, on the clock of Redis', async () => {
    const host = await openHost({
      shared: true,
      key: { test: { requests: 5, seconds: 1, burst: 2 } },
    });
    let key = '';
    const at = async () => {
      const { status, headers } = await ask(`${host.url}/v1/charges?limit=1`, { key });
      return `${status} ${headers['ratelimit']}`;
    };
    const together = await whileRedisCounts([host], async () => {
      key = await newKey();
      return Promise.all([at(), at(), at()]);
    });
    expect(together.sort()).to.deep.equal([
      '200 "key";r=0;t=1',
      '200 "key";r=1;t=1',
      '429 "key";r=0;t=1',
    ]);
    // Full again after 0.4 s at the latest, whatever this process does meanwhile.
    const refilled = await eventually(
      () => at(),
      (told) => told.startsWith('200'),
    );
    expect(refilled).to.match(/^200 "key";r=[01];t=1$/);
  });

  it('count bad credentials together, shared or not', async () => {
    const [one, other] = [await openHost({}), await openHost({})];
    const guess = async (): Promise<number[]> => {
      const found: number[] = [];
      for (let n = 0; n < 30; n += 1) {
        const host = n % 2 === 0 ? one : other;
        found.push(await askWhileUnavailable(host, mintKey('secret', 'test')));
      }
      return found;
    };
    const found = await whileRedisCounts([one, other], guess, warmUpFailures);
    const refused = found.filter((status) => status === 429).length;
    // Of 20 in all, not for each host. The count is told to Redis behind the answer, so that one more
    // may slip through at each; and a guess that was asked again after a 503 may count twice.
    expect(refused).to.be.at.least(8);
    expect([found[0], found.at(-1)]).to.deep.equal([401, 429]);
  });

  it('look up a bounded number of guesses that come to all at once', async () => {
    const hosts = [await openHost({}), await openHost({})] as const;
    await warmUpFailures(...hosts);
    const startedMs = performance.now();
    const guesses = Array.from({ length: 200 }, (_, n) =>
      askStatus(hosts[n % 2 === 0 ? 0 : 1], mintKey('secret', 'test')),
    );
    const found = await Promise.all(guesses);
    // Each process lets in what is left in Redis, and no more until it knows what came of these.
    // One comes back every 3 s, on each side of Redis.
    const refilled = Math.ceil((performance.now() - startedMs) / 3_000);
    const most = 2 * (20 + refilled);
    expect(found.filter((status) => status === 401).length).to.be.within(1, most);
    // One that came back meanwhile may pass at each side of Redis.
    for (const host of hosts) {
      const next: (number | undefined)[] = [];
      for (let n = 0; n < 4; n += 1) next.push(await askStatus(host, mintKey('secret', 'test')));
      expect(next).to.include(429);
    }
  });

  it('accept all valid keys that arrive at once at a process that has cached none of them', async () => {
    const host = await openHost({});
    await warmUpFailures(host);
    const keys = await Promise.all(Array.from({ length: 60 }, newKey));
    const found = await Promise.all(keys.map((key) => askWhileUnavailable(host, key)));
    expect(found).to.deep.equal(Array(60).fill(200));
  });

  /** On a busy machine look-ups may take longer than the 250 ms that each has, and do not count. */
  async function askWhileUnavailable(host: Host, key: string): Promise<number> {
    return eventually(
      () => askStatus(host, key),
      (status) => status !== 503,
    );
  }

  async function warmUpFailures(...hosts: readonly Host[]): Promise<void> {
    const client = new Redis(redis.url);
    for (const host of hosts) {
      await eventually(async () => {
        await askStatus(host, mintKey('secret', 'test'));
        return (await client.keys('paymount:limit:failedCredentials:*')).length > 0;
      });
      await client.flushall();
    }
    client.disconnect();
  }

  it('go on in each process, at once, when Redis hangs', async () => {
    const host = await openHost(TEN);
    await warmUp(host);
    const key = await newKey();
    expect(await askStatus(host, key)).to.equal(200);
    const client = new Redis(redis.url);
    await client.call('CLIENT', 'PAUSE', '4000', 'ALL');
    const startedMs = performance.now();
    const found: number[] = [];
    for (let n = 0; n < 12; n += 1) found.push(await askStatus(host, key));
    const tookMs = performance.now() - startedMs;
    // Nine of the ten are left: what this process let in before counts.
    expect(found).to.deep.equal([...Array(9).fill(200), ...Array(3).fill(429)]);
    // One of them waited 50 ms for Redis; the others did not ask.
    expect(tookMs).to.be.lessThan(1_500);
    expect(
      host.lines.filter(({ text }) => text.startsWith('Redis does not answer')),
    ).to.have.length(1);
    client.disconnect();
  });

  it('go on in each process when Redis dies, and in Redis when it is back', async function () {
    const mortal = await ownRedis(this);
    const port = Number(new URL(mortal.url).port);
    const host = await openHost(TEN, mortal.url);
    const key = await newKey();
    for (let n = 0; n < 4; n += 1) expect(await askStatus(host, key)).to.equal(200);
    await mortal.stop();
    const found: number[] = [];
    for (let n = 0; n < 8; n += 1) found.push(await askStatus(host, key));
    expect(found).to.deep.equal([...Array(6).fill(200), 429, 429]);
    const back = await ownRedis(this, { port });
    try {
      const client = new Redis(back.url);
      let other = await newKey();
      await eventually(async () => {
        // What the process refuses by itself it tells nobody.
        if ((await askStatus(host, other)) === 429) other = await newKey();
        return (await client.keys('paymount:limit:key.test:*')).length > 0;
      });
      client.disconnect();
    } finally {
      await back.stop();
    }
  });
});
