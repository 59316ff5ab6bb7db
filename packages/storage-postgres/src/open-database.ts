import createKnex, { type Knex } from 'knex';
import pg from 'pg';
import { DIAL_LIMIT_MS, WatchConnection } from './access/watch-connection.ts';
import { Connections } from './connections.ts';
import { describeNoConnection } from './database-error.ts';
import { LOOK_UP_LIMIT_MS } from './keys/credential-reader.ts';
import { logConnectionErrors } from './log-connection-errors.ts';
import { Session } from './session.ts';
import { Statements } from './shared/statement.ts';
import { WarmPool } from './warm-pool.ts';

const CONNECT_LIMIT_MS = 5_000;
const IDLE_LIMIT_MS = 30_000;
const DEFAULT_CONNECTIONS = 10;
const SIDE_CONNECTIONS = 2;
/**
 * Idle connections stay open, for a look-up that had to dial would come too late; routers between
 * forget silent ones, so they do not stay silent. A process that has nothing else to do ends.
 */
const WARM = { min: SIDE_CONNECTIONS, allowExitOnIdle: true, keepAliveInitialDelayMillis: 10_000 };
/** Past all limits of who asks on the side: so long, at most, a look-up waits for nobody. */
const SIDE_STATEMENT_LIMIT_MS = 1_000;

/** Where the data is: a connection string, or a pool or knex that the host goes on owning. */
export type ConnectionInput = string | pg.Pool | Knex;

export interface DatabaseOptions {
  readonly connection: ConnectionInput;
  /** Letters, digits and `_`. @defaultValue paymount */
  readonly schema?: string;
  /** Size of our own pool, when `connection` is a string. @defaultValue 10 */
  readonly pool?: { readonly max?: number };
  /** False for poolers that hand each transaction another server connection. @defaultValue true */
  readonly preparedStatements?: boolean;
}

/** A pool that we may use, and the session on it. */
export interface Database {
  readonly session: Session;
  /** Ends what we opened; the host's pool or knex stays open. */
  close(): Promise<void>;
}

/** Opens what the host passed; nothing is dialed yet. */
export function openDatabase(options: DatabaseOptions): Database {
  const { connection, schema = 'paymount', preparedStatements = true } = options;
  const statements = new Statements(schema, preparedStatements);
  if (isKnex(connection)) {
    const pool = poolBehind(connection);
    const stopHearing = pool && logConnectionErrors(pool);
    return {
      session: new Session({
        connections: new Connections(connection, maxConnections(connection)),
        statements,
      }),
      close: async () => stopHearing?.(),
    };
  }
  const own = typeof connection === 'string';
  const max = options.pool?.max ?? DEFAULT_CONNECTIONS;
  const pool = own ? openPool(connection, max, CONNECT_LIMIT_MS) : connection;
  return onPool({ pool, own }, statements);
}

function onPool(
  { pool, own }: { readonly pool: pg.Pool; readonly own: boolean },
  statements: Statements,
  acquireLimitMs?: number,
): Database {
  const stopHearing = logConnectionErrors(pool);
  // knex over a pg.Pool lends the pool's clients; destroying it leaves the pool alone.
  const knex = createKnex({
    client: 'pg',
    connectionPool: pool,
    // Told, knex does not ask each new connection, without a limit.
    version: '14',
    // knex would print refused connections; whoever asked for one is told.
    log: { warn: () => undefined },
  });
  return {
    session: new Session({
      connections: new Connections(knex, pool.options.max, acquireLimitMs),
      statements,
    }),
    close: once(async () => {
      // The pool first: it waits for what is lent, which knex could no longer hand back.
      if (own) await pool.end();
      await knex.destroy();
      // A connection of ours that is about to end may still be told that the server stops.
      if (!own) stopHearing();
    }),
  };
}

/** What the guard asks by: never the pool of requests, which may be exhausted. */
export interface SideDatabase extends Database {
  readonly watch: WatchConnection;
  /** Whether nothing lends its connections to others, as far as the host said. */
  readonly isDirect: boolean;
  /** Dials all of the pool, and keeps it dialed from then on. @throws DatabaseError */
  warm(): Promise<void>;
}

/**
 * A small pool of our own to the same server for key look-ups, and one connection more that
 * watches for changes of access. Limits are short: after a broken network the next try must come
 * soon, and a look-up that was given up must not stand in a queue before the next ones.
 * @throws TypeError when the host's knex hides its settings and there is no `directUrl`
 */
export function openSideDatabase(
  options: DatabaseOptions & { readonly directUrl?: string },
): SideDatabase {
  const { connection, directUrl, schema = 'paymount', preparedStatements = true } = options;
  const dialed = directUrl ?? toSettings(connection);
  if (!dialed) {
    throw new TypeError('Pass `directUrl`: the settings of this knex cannot be read.');
  }
  // A direct connection goes past the pooler for whose sake statements were sent unprepared.
  const isDirect = preparedStatements || directUrl !== undefined;
  const settings: pg.PoolConfig = {
    ...withHidden(toPoolConfig(dialed)),
    // A server does not notice that we gave up; poolers refuse the parameter.
    ...(isDirect && { statement_timeout: SIDE_STATEMENT_LIMIT_MS }),
  };
  const statements = new Statements(schema, isDirect);
  const pool = openPool({ ...settings, ...WARM }, SIDE_CONNECTIONS, DIAL_LIMIT_MS);
  const warmth = new WarmPool(pool);
  const lookUps = onPool({ pool, own: true }, statements, LOOK_UP_LIMIT_MS);
  const watch = new WatchConnection({ settings, statements, hears: isDirect });
  return {
    session: lookUps.session,
    watch,
    isDirect,
    warm: () =>
      warmth.dial().catch((error: unknown) => {
        throw describeNoConnection(error, directUrl === undefined ? 'database' : 'directUrl');
      }),
    close: once(async () => {
      warmth.close();
      await Promise.all([lookUps.close(), watch.close()]);
    }),
  };
}

function toPoolConfig(settings: string | pg.PoolConfig): pg.PoolConfig {
  return typeof settings === 'string' ? { connectionString: settings } : settings;
}

function toSettings(connection: ConnectionInput): string | pg.PoolConfig | undefined {
  if (typeof connection === 'string') return connection;
  return isKnex(connection) ? knexSettings(connection) : poolSettings(connection);
}

function openPool(to: string | pg.PoolConfig, max: number, dialLimitMs: number): pg.Pool {
  return new pg.Pool({
    ...toPoolConfig(to),
    max,
    connectionTimeoutMillis: dialLimitMs,
    idleTimeoutMillis: IDLE_LIMIT_MS,
    keepAlive: true,
    application_name: 'paymount',
  });
}

/** knex keeps what it dials with, unless a function or a pool of the host's provides it. */
interface DialledKnex {
  readonly connectionSettings?: pg.PoolConfig;
  readonly config?: { readonly connectionPool?: pg.Pool };
  readonly pool?: { readonly max?: number };
}

function isDialled(client: unknown): client is DialledKnex {
  return typeof client === 'object' && client !== null;
}

/** Connections that a knex has at most: in its own pool, or in the one behind it. */
function maxConnections(knex: Knex): number {
  const client: unknown = knex.client;
  const own = isDialled(client) ? client.pool?.max : undefined;
  return poolBehind(knex)?.options.max ?? own ?? DEFAULT_CONNECTIONS;
}

function poolBehind({ client }: { readonly client: unknown }): pg.Pool | undefined {
  const pool = isDialled(client) ? client.config?.connectionPool : undefined;
  return pool && 'options' in pool ? pool : undefined;
}

function knexSettings(knex: Knex): pg.PoolConfig | undefined {
  const pool = poolBehind(knex);
  if (pool) return poolSettings(pool);
  const client: unknown = knex.client;
  const settings = isDialled(client) ? client.connectionSettings : undefined;
  if (!settings || Object.keys(settings).length === 0) return undefined;
  return withHidden(settings);
}

/** What it connects with. How it keeps its connections is for the host's pool alone. */
function poolSettings({ options }: pg.Pool): pg.PoolConfig {
  const { maxUses, maxLifetimeSeconds, min, verify, onConnect, ...settings } = withHidden(options);
  return settings;
}

/** Both libraries make the password non-enumerable, so that a spread would lose it. */
function withHidden(settings: pg.PoolConfig): pg.PoolConfig {
  const { password, ssl } = settings;
  return {
    ...settings,
    ...(password !== undefined && { password }),
    ...(ssl !== undefined && { ssl }),
  };
}

function isKnex(connection: ConnectionInput): connection is Knex {
  return typeof connection === 'function';
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
