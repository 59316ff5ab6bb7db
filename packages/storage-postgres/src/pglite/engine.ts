import { SESSION_HELD } from '../shared/sql-errors.ts';
import { simpleQuery } from './messages.ts';

/** What is used of PGlite. */
export interface Pglite {
  execProtocolRaw(message: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The session, while nobody else has it. Once it was ended or abandoned it does nothing. */
export interface Turn {
  /** @returns what the server answers */
  send(messages: Uint8Array): Promise<Buffer>;
  /** The session is idle: the oldest waiter gets it next. */
  end(): void;
  /** The same in the middle of something, which is rolled back first. */
  abandon(): void;
}

/** Why a client does not get the session. */
export class TurnRefusal extends Error {
  /** An SQLSTATE. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface Waiting {
  readonly give: (turn: Turn) => void;
  readonly refuse: (why: TurnRefusal) => void;
}

/**
 * Others wait so long for a transaction in which nothing happens: its owner probably waits for one
 * of them, and then nobody would ever go on. Below 2 s, after which mocha ends a test.
 */
const REST_LIMIT_MS = 1_500;
const HELD =
  'PGlite has one session, and an open transaction holds it: nothing happened in it for ' +
  `${REST_LIMIT_MS / 1_000} s. Inside your transaction call what \`paymount.using(transaction)\` gives, ` +
  'and nothing else; or end the transaction first.';
const ADMIN_SHUTDOWN = '57P01';
const ROLLBACK = simpleQuery('ROLLBACK');

/** A PostgreSQL in this process: one session, which its clients have in turn. */
export class Engine {
  readonly #pglite: Pglite;
  readonly #waiting: Waiting[] = [];
  #holder: Turn | undefined;
  #sending: Promise<unknown> = Promise.resolve();
  /** The holder was answered, and has not gone on since. */
  #isResting = false;
  #restLimit: NodeJS.Timeout | undefined;

  constructor(pglite: Pglite) {
    this.#pglite = pglite;
  }

  /**
   * Waits until everybody who came before is done.
   * @throws TurnRefusal when a transaction is open and had no statement for 1.5 s, and after the end
   */
  turn(): Promise<Turn> {
    return new Promise((give, refuse) => {
      this.#waiting.push({ give, refuse });
      if (this.#holder === undefined) this.#pass();
      else this.#watch();
    });
  }

  /** Waits for the statement that runs, and ends the server: open transactions are lost. */
  async close(): Promise<void> {
    this.#refuseAll(new TurnRefusal(ADMIN_SHUTDOWN, 'The storage is being closed.'));
    await this.#sending;
    await this.#pglite.close();
  }

  #pass(): void {
    this.#isResting = false;
    this.#watch();
    const next = this.#waiting.shift();
    this.#holder = next && this.#newTurn();
    if (next && this.#holder) next.give(this.#holder);
  }

  #newTurn(): Turn {
    const turn: Turn = {
      send: (messages) => this.#send(messages),
      end: () => {
        if (this.#holder === turn) this.#pass();
      },
      abandon: () => {
        if (this.#holder !== turn) return;
        const pass = turn.end;
        void this.#sending.then(() => this.#send(ROLLBACK)).then(pass, pass);
      },
    };
    return turn;
  }

  async #send(messages: Uint8Array): Promise<Buffer> {
    this.#isResting = false;
    this.#watch();
    const answer = this.#pglite.execProtocolRaw(messages);
    this.#sending = answer.catch(() => undefined);
    const answered = Buffer.from(await answer);
    this.#isResting = true;
    this.#watch();
    return answered;
  }

  /** Counts the time while somebody waits for a transaction that rests. */
  #watch(): void {
    if (!this.#isResting || this.#waiting.length === 0) {
      clearTimeout(this.#restLimit);
      this.#restLimit = undefined;
      return;
    }
    this.#restLimit ??= setTimeout(() => {
      this.#restLimit = undefined;
      this.#refuseAll(new TurnRefusal(SESSION_HELD, HELD));
    }, REST_LIMIT_MS);
  }

  #refuseAll(why: TurnRefusal): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(why);
    this.#watch();
  }
}
