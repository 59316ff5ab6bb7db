import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { withTimeout } from '@paymount/core/kernel';
import pg, { type QueryResultRow } from 'pg';
import { discard, send } from './send.ts';
import type { Statement, Statements } from './statement.ts';

/** If the network failed while we connected, we retry at most this long after it is back. */
export const DIAL_LIMIT_MS = 2_000;
/** A look-up that takes longer ends with 503. */
export const LOOK_UP_LIMIT_MS = 250;
const LISTEN_LIMIT_MS = 1_000;
const GOODBYE_LIMIT_MS = 500;
/** The wait before a reconnect doubles from the first value to the last. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

export interface WatchOptions {
  readonly settings: pg.ClientConfig;
  readonly statements: Statements;
  /** False behind a pooler in transaction mode, where LISTEN does not work. */
  readonly isListening: boolean;
}

interface Line {
  /** Resolves once it is connected and earlier statements have been answered. */
  ready: Promise<pg.Client>;
  /** Closes the connection, but waits only briefly: without a network a socket does not close. */
  end(): Promise<void>;
}

/** Told of a notification; `''` when it has no subject. */
type Listener = (subject: string) => void;

/**
 * A dedicated connection that queries changes of access, and listens to notifications. Look-ups
 * cannot delay it. Because a process with routes sends queries all the time, a dead connection is
 * noticed.
 */
export class WatchConnection {
  /** Whether LISTEN works on this connection. */
  readonly isListening: boolean;
  readonly #settings: pg.ClientConfig;
  readonly #statements: Statements;
  readonly #listeners = new Map<string, Set<Listener>>();
  #line: Line | undefined;
  #redial: NodeJS.Timeout | undefined;
  #waitMs = FIRST_WAIT_MS;
  #closed = false;

  constructor({ settings, statements, isListening }: WatchOptions) {
    this.isListening = isListening;
    this.#settings = settings;
    this.#statements = statements;
  }

  /**
   * Runs one statement; connects first if there is no connection.
   * @throws Error when there is no answer
   */
  async query<Row extends QueryResultRow>(of: Statement, values: unknown[]): Promise<Row[]> {
    const line = this.#connected();
    try {
      const { ready } = line;
      const asked = ready.then((client) => send<Row>(client, this.#statements.query(of, values)));
      line.ready = asked.then(() => ready);
      // The next caller waits for this response, and fails if it fails.
      line.ready.catch(() => undefined);
      return (await asked).rows;
    } catch (error) {
      // Whatever the reason was, a new connection is safer than one in an unknown state.
      this.#lost(line);
      throw error;
    }
  }

  /**
   * Listens on a channel, whose payloads are the schema and, after a space, a subject.
   * @param onNotice also called, without a subject, when it begins to listen, and when the
   * connection is back after an outage, because notifications were lost meanwhile
   */
  listen(channel: string, onNotice: Listener): () => Promise<void> {
    const listeners = this.#listeners.get(channel);
    if (listeners === undefined) this.#listeners.set(channel, new Set([onNotice]));
    else listeners.add(onNotice);
    const line = this.#line;
    if (line === undefined) this.#connected();
    // A connection that is being opened may have passed this channel over.
    else if (this.isListening) void this.#listenOn(line, channel);
    return async () => {
      this.#listeners.get(channel)?.delete(onNotice);
    };
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    clearTimeout(this.#redial);
    await this.#line?.end();
  }

  get #hasListeners(): boolean {
    return [...this.#listeners.values()].some(({ size }) => size > 0);
  }

  #connected(): Line {
    this.#line ??= this.#dial();
    return this.#line;
  }

  #dial(): Line {
    clearTimeout(this.#redial);
    let line: Line;
    try {
      // A connector of the host, for example for a cloud database, may return its own kind of
      // stream.
      line = this.#lineOn(this.#settings.stream?.() ?? new Socket());
    } catch (error) {
      line = { ready: Promise.reject(error), end: async () => undefined };
    }
    line.ready.catch(() => this.#lost(line));
    return line;
  }

  #lineOn(socket: Duplex): Line {
    const client = new pg.Client({
      ...this.#settings,
      connectionTimeoutMillis: DIAL_LIMIT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      application_name: 'paymount-watch',
      stream: () => socket,
    });
    const line: Line = { ready: this.#open(client), end: () => goodbye(client, socket) };
    // Without a listener an error would end the process. The `end` event that follows is handled.
    client.on('error', () => undefined);
    client.once('end', () => this.#lost(line));
    return line;
  }

  #lost(line: Line): void {
    if (this.#line !== line) return;
    this.#line = undefined;
    void line.end();
    this.#dialLater();
  }

  async #open(client: pg.Client): Promise<pg.Client> {
    if (this.#closed) throw new Error('The storage was closed.');
    await client.connect();
    if (this.isListening) await this.#startListening(client);
    this.#waitMs = FIRST_WAIT_MS;
    return client;
  }

  async #startListening(client: pg.Client): Promise<void> {
    client.on('notification', ({ channel, payload = '' }) => {
      const [schema, ...subject] = payload.split(' ');
      if (schema === this.#statements.schemaName) this.#tell(channel, subject.join(' '));
    });
    for (const channel of this.#listeners.keys()) await this.#send(client, channel);
  }

  async #listenOn(line: Line, channel: string): Promise<void> {
    try {
      await this.#send(await line.ready, channel);
    } catch {
      this.#lost(line);
    }
  }

  async #send(client: pg.Client, channel: string): Promise<void> {
    try {
      await send(client, this.#statements.plain(`LISTEN ${channel}`, undefined, LISTEN_LIMIT_MS));
    } catch (error) {
      discard(client, error);
      throw error;
    }
    this.#tell(channel, '');
  }

  #tell(channel: string, subject: string): void {
    for (const onNotice of this.#listeners.get(channel) ?? []) onNotice(subject);
  }

  /** Only LISTEN needs a connection while no query runs. */
  #dialLater(): void {
    if (this.#closed || !this.#hasListeners) return;
    // Processes that lost the same server must not all reconnect at the same moment.
    const waitMs = this.#waitMs * (0.5 + Math.random() / 2);
    this.#redial = setTimeout(() => this.#connected(), waitMs).unref();
    this.#waitMs = Math.min(2 * this.#waitMs, MAX_WAIT_MS);
  }
}

async function goodbye(client: pg.Client, socket: Duplex): Promise<void> {
  await withTimeout(client.end(), GOODBYE_LIMIT_MS).catch(() => undefined);
  socket.destroy();
}
