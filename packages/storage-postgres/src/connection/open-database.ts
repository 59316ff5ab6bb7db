import createKnex, { type Knex } from 'knex';
import pg from 'pg';
import { Connections } from './connections.ts';
import { describeNoConnection } from './database-error.ts';
import { handleConnectionErrors } from './handle-connection-errors.ts';
import { Statements } from './statement.ts';
import { WarmPool } from './warm-pool.ts';
import { DIAL_LIMIT_MS, LOOK_UP_LIMIT_MS, WatchConnection } from './watch-connection.ts';

const CONNECT_LIMIT_MS = 5_000;
const IDLE_LIMIT_MS = 30_000;
const DEFAULT_CONNECTIONS = 10;
const LOOK_UP_CONNECTIONS = 2;
/**
 * Idle connections stay open, because a look-up that has to connect first would be too slow.
 * Keep-alive packets prevent routers from dropping them. They do not keep the process alive.
 */
const WARM = {
  min: LOOK_UP_CONNECTIONS,
  allowExitOnIdle: true,
  keepAliveInitialDelayMillis: 10_000,
};
/** Longer than the limits of the callers; after this time a look-up without a caller ends. */
const LOOK_UP_STATEMENT_LIMIT_MS = 1_000;

/** Where the data is: a connection string, or a pool or knex that the host still owns. */
export type ConnectionInput = string | pg.Pool | Knex;

export interface DatabaseOptions {
  readonly connection: ConnectionInput;
  /** Letters, digits and `_`. @defaultValue paymount */
  readonly schema?: string;
  /** Size of our own pool, if `connection` is a string. @defaultValue 10 */
  readonly pool?: { readonly max?: number };
  /** False for poolers in transaction mode. @defaultValue true */
  readonly preparedStatements?: boolean;
}

/** The connections to a database, and the statements for its schema. */
export interface Database {
  readonly connections: Connections;
  readonly statements: Statements;
}

/** A pool that we may use. */
export interface OpenDatabase extends Database {
  /** Ends what we opened; the host's pool or knex stays open. */
  close(): Promise<void>;
}

/** Opens what the host passed; it does not connect yet. */
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { connection, schema = 'paymount', preparedStatements = true } = options;
  const statements = new Statements(schema, preparedStatements);
  if (isKnex(connection)) {
    const pool = poolBehind(connection);
    const stopHandling = pool && handleConnectionErrors(pool);
    return {
      connections: new Connections(connection, maxConnections(connection), { areOurs: false }),
      statements,
      close: async () => stopHandling?.(),
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
): OpenDatabase {
  const stopHandling = handleConnectionErrors(pool);
  // knex uses the clients of the pg.Pool; destroying knex does not end the pool.
  const knex = createKnex({
    client: 'pg',
    connectionPool: pool,
    // With a version set, knex does not query it on each new connection, without a time limit.
    version: '14',
    // knex would print failed connections; the caller gets the error anyway.
    log: { warn: () => undefined },
  });
  return {
    connections: new Connections(knex, pool.options.max, {
      areOurs: own,
      ...(acquireLimitMs !== undefined && { acquireLimitMs }),
    }),
    statements,
    close: once(async () => {
      // The pool first: it waits for connections in use, which knex could no longer release.
      if (own) await pool.end();
      await knex.destroy();
      // While we close a connection, the server may still report that it shuts down.
      if (!own) stopHandling();
    }),
  };
}

/** The connections of the guard: never the pool of requests, which may be exhausted. */
export interface LookUpDatabase extends OpenDatabase {
  readonly watch: WatchConnection;
  /** Whether each of our connections is a server connection, as far as the host said. */
  readonly isDirect: boolean;
  /** Connects the whole pool, and keeps it connected. @throws DatabaseError */
  warm(): Promise<void>;
}

/**
 * Opens a separate small pool to the same server for key look-ups, and one more connection that
 * watches for changes of access and listens to notifications. Limits are short: after a network failure the next try must come
 * soon, and an abandoned look-up must not block the next ones.
 * @throws TypeError when the host's knex hides its settings and there is no `directUrl`
 */
export function openLookUpDatabase(
  options: DatabaseOptions & { readonly directUrl?: string },
): LookUpDatabase {
  const { connection, directUrl, schema = 'paymount', preparedStatements = true } = options;
  const dialed = directUrl ?? toSettings(connection);
  if (!dialed) {
    throw new TypeError('Pass `directUrl`: the settings of this knex cannot be read.');
  }
  // A direct connection bypasses the pooler that requires unprepared statements.
  const isDirect = preparedStatements || directUrl !== undefined;
  const settings: pg.PoolConfig = {
    ...withHidden(toPoolConfig(dialed)),
    // The server does not notice that we gave up, so it needs its own limit; poolers refuse the
    // parameter.
    ...(isDirect && { statement_timeout: LOOK_UP_STATEMENT_LIMIT_MS }),
  };
  const statements = new Statements(schema, isDirect);
  const pool = openPool({ ...settings, ...WARM }, LOOK_UP_CONNECTIONS, DIAL_LIMIT_MS);
  const warmth = new WarmPool(pool);
  const lookUps = onPool({ pool, own: true }, statements, LOOK_UP_LIMIT_MS);
  const watch = new WatchConnection({ settings, statements, isListening: isDirect });
  return {
    connections: lookUps.connections,
    statements,
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

/** knex keeps the connection settings, unless a function or a pool of the host provides them. */
interface DialledKnex {
  readonly connectionSettings?: pg.PoolConfig;
  readonly config?: { readonly connectionPool?: pg.Pool };
  readonly pool?: { readonly max?: number };
}

function isDialled(client: unknown): client is DialledKnex {
  return typeof client === 'object' && client !== null;
}

/** The most connections of a knex: in its own pool, or in the pool behind it. */
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

/** The connection settings, without those that configure the host's pool. */
function poolSettings({ options }: pg.Pool): pg.PoolConfig {
  const { maxUses, maxLifetimeSeconds, min, verify, onConnect, ...settings } = withHidden(options);
  return settings;
}

/** Both libraries make the password non-enumerable, so a spread would lose it. */
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
