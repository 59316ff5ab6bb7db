import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AccessChangeNotifier } from '@paymount/core/access';
import { withTimeout } from '@paymount/core/kernel';
import pg, { type QueryResultRow } from 'pg';
import { discard, send } from '../connections.ts';
import type { Statement, Statements } from '../shared/statement.ts';

/** What every change of access is announced on; the payload is the schema. */
export const CHANNEL = 'paymount_auth';
/** A network that froze while we dialed is tried again this soon after it is back. */
export const DIAL_LIMIT_MS = 2_000;
const LISTEN_LIMIT_MS = 1_000;
const GOODBYE_LIMIT_MS = 500;
/** The wait before dialing again doubles from the first to the last. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

export interface WatchOptions {
  readonly settings: pg.ClientConfig;
  readonly statements: Statements;
  /** False through a pooler that hands each transaction another connection: it hears nothing. */
  readonly hears: boolean;
}

interface Line {
  /** Once it is connected and the questions before have been answered. */
  ready: Promise<pg.Client>;
  /** Says goodbye, but not for long: a network that is gone lets no socket end. */
  end(): Promise<void>;
}

/**
 * One connection of its own that asks for changes of access, and hears of them. Look-ups cannot
 * get in its way, however many there are; and since it is asked all the time, a connection that
 * hears nothing any more is found out.
 */
export class WatchConnection implements AccessChangeNotifier {
  /** Whether `listen` has any use. */
  readonly hears: boolean;
  readonly #settings: pg.ClientConfig;
  readonly #statements: Statements;
  readonly #listeners = new Set<() => void>();
  #line: Line | undefined;
  #redial: NodeJS.Timeout | undefined;
  #waitMs = FIRST_WAIT_MS;
  #closed = false;

  constructor({ settings, statements, hears }: WatchOptions) {
    this.hears = hears;
    this.#settings = settings;
    this.#statements = statements;
  }

  /** Runs one statement; dials when there is no connection. @throws Error when there is no answer */
  async query<Row extends QueryResultRow>(of: Statement, values: unknown[]): Promise<Row[]> {
    const line = this.#connected();
    try {
      const { ready } = line;
      const asked = ready.then((client) => send<Row>(client, this.#statements.query(of, values)));
      line.ready = asked.then(() => ready);
      // Who asks next waits for this answer, and shares its failure.
      line.ready.catch(() => undefined);
      return (await asked).rows;
    } catch (error) {
      // Whatever the reason, a new connection costs less than a doubtful one.
      this.#lost(line);
      throw error;
    }
  }

  /** Also tells when it is back after an outage, because nothing was heard meanwhile. */
  listen(onChange: () => void): () => Promise<void> {
    this.#listeners.add(onChange);
    this.#connected();
    return async () => {
      this.#listeners.delete(onChange);
    };
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    clearTimeout(this.#redial);
    await this.#line?.end();
  }

  #connected(): Line {
    this.#line ??= this.#dial();
    return this.#line;
  }

  #dial(): Line {
    clearTimeout(this.#redial);
    let line: Line;
    try {
      // A connector of the host's, to a cloud's database, say, hands out streams of its own.
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
    // Unheard, an error would end the process. The end that follows it is what counts.
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
    if (this.hears) await this.#startListening(client);
    this.#waitMs = FIRST_WAIT_MS;
    return client;
  }

  async #startListening(client: pg.Client): Promise<void> {
    client.on('notification', ({ payload }) => {
      if (payload === this.#statements.schemaName) this.#tell();
    });
    try {
      await send(client, this.#statements.plain(`LISTEN ${CHANNEL}`, undefined, LISTEN_LIMIT_MS));
    } catch (error) {
      discard(client, error);
      throw error;
    }
    this.#tell();
  }

  #tell(): void {
    for (const onChange of this.#listeners) onChange();
  }

  /** Only who listens needs a connection that nobody asks for. */
  #dialLater(): void {
    if (this.#closed || this.#listeners.size === 0) return;
    // Processes that lost the same server shall not all dial at once.
    const waitMs = this.#waitMs * (0.5 + Math.random() / 2);
    this.#redial = setTimeout(() => this.#connected(), waitMs).unref();
    this.#waitMs = Math.min(2 * this.#waitMs, MAX_WAIT_MS);
  }
}

async function goodbye(client: pg.Client, socket: Duplex): Promise<void> {
  await withTimeout(client.end(), GOODBYE_LIMIT_MS).catch(() => undefined);
  socket.destroy();
}
