import { Redis } from 'ioredis';
import { eventually } from '../../support/eventually.ts';
import { isolatedRedis } from '../../support/isolated-redis.ts';
import type { RedisServer } from '../../support/redis.ts';

const ANSWER_LIMIT_MS = 2_000;

/** A Redis of one run's own that is wiped, killed and stopped, and comes back at the same address. */
export class RestartableRedis {
  readonly url: string;
  #server: RedisServer;
  #pid: number;

  private constructor(server: RedisServer, pid: number) {
    this.url = server.url;
    this.#server = server;
    this.#pid = pid;
  }

  /** @throws Error where there is no `redis-server` program */
  static async start(): Promise<RestartableRedis> {
    const server = await started();
    return new RestartableRedis(server, await pidOf(server.url));
  }

  /** FLUSHALL. */
  async wipe(): Promise<void> {
    await asked(this.url, (client) => client.flushall());
  }

  /** SIGKILL: what it held is gone, and nobody listens. */
  async kill(): Promise<void> {
    process.kill(this.#pid, 'SIGKILL');
    await this.#server.stop();
  }

  /** Starts it again after `kill`, empty. */
  async startAgain(): Promise<void> {
    this.#server = await started(Number(new URL(this.url).port));
    this.#pid = await pidOf(this.url);
  }

  /** SIGSTOP: connections stay open, and nothing is answered. */
  freeze(): void {
    process.kill(this.#pid, 'SIGSTOP');
  }

  /** SIGCONT. */
  thaw(): void {
    process.kill(this.#pid, 'SIGCONT');
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    await this.#server.stop();
  }
}

async function started(port?: number): Promise<RedisServer> {
  const server = await isolatedRedis(port);
  if (server === undefined) throw new Error('This run needs redis-server.');
  return server;
}

async function pidOf(url: string): Promise<number> {
  const info = await eventually(
    () => asked(url, (client) => client.info('server')).catch(() => ''),
    Boolean,
  );
  return Number(/process_id:(\d+)/.exec(info)?.[1]);
}

async function asked<Result>(
  url: string,
  work: (client: Redis) => Promise<Result>,
): Promise<Result> {
  const client = new Redis(url, {
    connectTimeout: ANSWER_LIMIT_MS,
    commandTimeout: ANSWER_LIMIT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  client.on('error', () => undefined);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}
