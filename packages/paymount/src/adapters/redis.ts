import type { Logger } from '@paymount/core/kernel';
import { withTimeout } from '@paymount/core/kernel';
import { installed, type RedisClient, requireBullmq } from '@paymount/webhooks';
import type { Redis, RedisOptions } from 'ioredis';

/** A connection for commands. */
export interface RedisProducer extends RedisClient {
  publish(channel: string, message: string): Promise<unknown>;
}

/** A connection for messages. */
export interface RedisSubscriber {
  on(event: 'message' | 'ready', listener: () => void): unknown;
  off(event: 'message' | 'ready', listener: () => void): unknown;
  subscribe(channel: string): Promise<unknown>;
}

/**
 * The kinds of connections: one for commands, and those that wait. The types are our own, because
 * public declarations use this one and ioredis may not be installed.
 */
export interface RedisConnections {
  /**
   * Adds jobs, and counts requests. Fails immediately while Redis is unavailable: PostgreSQL has
   * every delivery that is not queued, and each process counts on its own.
   */
  readonly producer: RedisProducer;
  /** A new connection that waits for jobs, without a time limit. */
  worker(): RedisClient;
  /** A new connection that only waits for messages. */
  subscriber(): RedisSubscriber;
  /** Closes every connection; safe to call twice. */
  close(): Promise<void>;
}

type RoleOptions = Pick<
  RedisOptions,
  'enableOfflineQueue' | 'maxRetriesPerRequest' | 'commandTimeout'
>;

const CONNECT_LIMIT_MS = 5_000;
const COMMAND_LIMIT_MS = 500;
const MAX_RECONNECT_WAIT_MS = 2_000;
const QUIT_LIMIT_MS = 500;

/**
 * Opens connections to Redis; ioredis is loaded here only, and only when a host gives `redis`.
 * Returns before Redis has answered: it is optional, and may come and go.
 * @param url `redis://[user:password@]host[:port][/db]`, or `rediss://` for TLS
 * @throws TypeError if it is not the URL of a Redis
 * @throws Error if bullmq or ioredis is not installed, with the command to install it
 */
export async function connectRedis(url: string, logger: Logger): Promise<RedisConnections> {
  if (!/^rediss?:\/\//.test(url)) {
    throw new TypeError('The option `redis` must begin with redis:// or rediss://.');
  }
  const { Redis: Client } = await installed(() => import('ioredis'));
  // bullmq is also needed; a missing package is reported at startup, not at the first retry.
  await requireBullmq();
  const open = (role: string, options: RoleOptions): Redis => {
    const client = new Client(url, {
      connectTimeout: CONNECT_LIMIT_MS,
      connectionName: `paymount-${role}`,
      retryStrategy: (times) => Math.min(times * 50, MAX_RECONNECT_WAIT_MS),
      ...options,
    });
    reportOutages(client, role, logger);
    return client;
  };

  const producer = open('producer', {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_LIMIT_MS,
  });
  const clients = [producer];
  return {
    producer,
    worker() {
      const client = open('worker', { maxRetriesPerRequest: null });
      clients.push(client);
      return client;
    },
    subscriber() {
      const client = open('subscriber', { maxRetriesPerRequest: null });
      clients.push(client);
      return client;
    },
    async close() {
      await Promise.all(clients.splice(0).map(quit));
    },
  };
}

/** One line when Redis becomes unavailable and one when it is back; ioredis reports every try. */
function reportOutages(client: Redis, role: string, logger: Logger): void {
  let away = false;
  client.on('error', (err: Error) => {
    if (away) return;
    away = true;
    logger.warn({ role, err }, 'Redis cannot be reached; Paymount uses only PostgreSQL.');
  });
  client.on('ready', () => {
    if (away) logger.info({ role }, 'Redis is back.');
    away = false;
  });
}

/** Sends QUIT with a short time limit: an unavailable Redis does not answer it. */
async function quit(client: Redis): Promise<void> {
  if (client.status === 'ready') {
    await withTimeout(client.quit(), QUIT_LIMIT_MS).catch(() => undefined);
  }
  client.disconnect();
}
