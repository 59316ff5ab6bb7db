import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { connectRedis } from '../../packages/paymount/src/adapters/redis.ts';
import { keptLog } from '../support/kept-log.ts';
import { redisUrl } from '../support/redis.ts';

/** The ioredis client that a connection is. */
const clientOf = (connection: object) => connection as Redis;

describe('connections to Redis', () => {
  it('refuses an address that is not of Redis, without repeating it', async () => {
    const refusal = await connectRedis('https://user:canary@host', keptLog()).catch(
      (error: unknown) => error,
    );
    expect(String(refusal)).to.equal(
      'TypeError: The option `redis` must begin with redis:// or rediss://.',
    );
  });

  it('gives a producer that fails at once and workers that wait', async function () {
    const redis = await connectRedis(redisUrl(this), keptLog());
    try {
      const [one, other] = [clientOf(redis.worker()), clientOf(redis.worker())];
      const producer = clientOf(redis.producer);
      expect(await one.ping()).to.equal('PONG');
      expect(await other.ping()).to.equal('PONG');
      if (producer.status !== 'ready') await once(producer, 'ready');
      expect(await producer.ping()).to.equal('PONG');
      expect(producer.options).to.include({
        enableOfflineQueue: false,
        maxRetriesPerRequest: 0,
        commandTimeout: 500,
      });
      expect(one.options).to.include({ maxRetriesPerRequest: null });
      expect(one.options.commandTimeout).to.equal(undefined);
    } finally {
      await redis.close();
      await redis.close();
    }
  });

  it('reports an outage once, and goes on without Redis', async () => {
    // A port that was free a moment ago.
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    if (address === null || typeof address === 'string') throw new Error('There is no port.');
    const logger = keptLog();
    const redis = await connectRedis(`redis://127.0.0.1:${address.port}`, logger);
    try {
      const refusal = await redis.producer.ping().catch((error: unknown) => error);
      expect(refusal).to.be.instanceOf(Error);
      await new Promise<void>((resolve) => {
        let tries = 0;
        clientOf(redis.producer).on('reconnecting', () => {
          tries += 1;
          if (tries === 4) resolve();
        });
      });
      expect(logger.lines.map(({ level }) => level)).to.deep.equal(['warn']);
    } finally {
      await redis.close();
    }
  });
});
