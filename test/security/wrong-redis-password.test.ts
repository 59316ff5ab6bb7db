import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Logger } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { eventually } from '../support/eventually.ts';
import { ownRedis, type RedisServer } from '../support/redis.ts';
import { seek } from './canary.ts';

const LIMIT_MS = 10_000;
const ON_ITS_OWN = 'each process counts requests on its own';

describe('a wrong password of Redis', () => {
  const canary = randomBytes(18).toString('base64url');
  let redis: RedisServer;
  let host: TestApp;
  const told: string[] = [];

  before(async function () {
    redis = await ownRedis(this);
    const client = new Redis(redis.url);
    await client.config('SET', 'requirepass', randomBytes(18).toString('base64url'));
    client.disconnect();
    const tell: Logger['warn'] = (facts, message) => {
      told.push(message, inspect(facts, { depth: 12, showHidden: true }));
    };
    host = await startApp({
      paymount: {
        redis: redis.url.replace('redis://', `redis://:${canary}@`),
        rateLimit: {},
        logger: { debug: tell, info: tell, warn: tell, error: tell },
      },
    });
  });
  after(async () => {
    await host?.close();
    await redis?.stop();
  });

  it('is not logged, by connections or by rate limits', async () => {
    const written = () => told.join('\n');
    const isSaid = () => written().includes('WRONGPASS') && written().includes(ON_ITS_OWN);
    await eventually(
      async () => {
        await ask(`${host.url}/v1/charges`, { key: host.secretKey });
        return isSaid();
      },
      Boolean,
      LIMIT_MS,
    );
    expect(written()).to.include('WRONGPASS');
    expect(written()).to.include(ON_ITS_OWN);
    const canaries = new Map([['Redis password', canary]]);
    expect(seek(written(), canaries)).to.deep.equal([]);
  });
});
