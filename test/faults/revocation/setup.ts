import type { RingKey } from '@paymount/auth';
import { createPaymount, type Paymount } from 'paymount';
import pg from 'pg';
import { Cleanup } from '../../support/cleanup.ts';
import { isolatedRedis } from '../../support/isolated-redis.ts';
import type { RedisServer } from '../../support/redis.ts';
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { withoutNotifications } from './notification-filter.ts';
import { type Server, startServer } from './server.ts';
import type { ServerSettings } from './server-messages.ts';

/** What the server processes are told by. */
export type Accelerators = 'all' | 'none';

/** Server processes, who takes access away, and the wires between all of them. */
export interface Setup {
  readonly servers: readonly Server[];
  /** Each of them is asked once in so many milliseconds. */
  readonly askEveryMs: number;
  /** The process that takes access away; a host of its own, which answers no requests. */
  readonly owner: Paymount;
  /** Between the servers and PostgreSQL. */
  readonly database: TcpProxy;
  /** Between the owner and PostgreSQL. */
  readonly ownerDatabase: TcpProxy;
  /** Between the servers and Redis; absent where there is none. */
  readonly redis?: TcpProxy;
  /** Whether what LISTEN brings is lost on the way to the servers. */
  readonly lost: { notifications: boolean };
  /** Past every proxy. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export interface SetupOptions {
  readonly databaseUrl: string;
  readonly accelerators: Accelerators;
  /** Of the database, which takes no others once it has some. */
  readonly sealingKeys: readonly RingKey[];
  /** How fast the clocks of the servers go. @defaultValue 1 */
  readonly clockRate?: number;
  /** @defaultValue 4 */
  readonly servers?: number;
  /** @defaultValue 2 */
  readonly askEveryMs?: number;
}

/** Opens a setup. Where there is no redis-server, the servers do without. */
export async function openSetup(options: SetupOptions): Promise<Setup> {
  const { databaseUrl, accelerators, sealingKeys } = options;
  const { clockRate = 1, servers = 4, askEveryMs = 2 } = options;
  const cleanup = new Cleanup();
  try {
    const listens = accelerators === 'all';
    const lost = { notifications: false };
    const database = await openTcpProxy(databaseUrl, {
      inbound: () => withoutNotifications(() => lost.notifications),
    });
    cleanup.add(database);
    const ownerDatabase = await openTcpProxy(databaseUrl);
    cleanup.add(ownerDatabase);
    const redis = listens ? await openRedis(cleanup) : undefined;
    const bystander = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    cleanup.onEnd(() => bystander.end());
    const owner = await createPaymount({
      database: ownerDatabase.url,
      sealingKeys,
      logger: SILENT,
      ...(redis && { redis: redis.server.url }),
    });
    cleanup.add(owner);
    const settings: ServerSettings = {
      databaseUrl: database.url,
      sealingKeys,
      listens,
      clockRate,
      ...(redis && { redisUrl: redis.proxy.url }),
    };
    const starting = Array.from({ length: servers }, () => startServer(settings));
    cleanup.onEnd(() => Promise.allSettled(starting.map(async (server) => (await server).stop())));
    return {
      servers: await Promise.all(starting),
      askEveryMs,
      owner,
      database,
      ownerDatabase,
      ...(redis && { redis: redis.proxy }),
      lost,
      async sql(text, values) {
        return (await bystander.query<Record<string, unknown>>(text, values)).rows;
      },
      close: () => cleanup.run(),
    };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

async function openRedis(
  cleanup: Cleanup,
): Promise<{ readonly server: RedisServer; readonly proxy: TcpProxy } | undefined> {
  const server = await isolatedRedis();
  if (server === undefined) return undefined;
  cleanup.onEnd(() => server.stop());
  const proxy = await openTcpProxy(server.url);
  cleanup.add(proxy);
  return { server, proxy };
}

const silent = (): void => undefined;
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };
