import { SESSION_HELD } from '../connection/sql-errors.ts';
import { simpleQuery } from './messages.ts';

/** The part of PGlite that we use. */
export interface Pglite {
  execProtocolRaw(message: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Exclusive use of the session. After `end` or `abandon` it does nothing. */
export interface Turn {
  /** @returns the server's response */
  send(messages: Uint8Array): Promise<Buffer>;
  /** Gives back an idle session; the oldest waiter gets it next. */
  end(): void;
  /** The same in the middle of a transaction, which is rolled back first. */
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
 * How long others wait for an idle transaction. Its owner is probably waiting for one of them,
 * which would be a deadlock. Below mocha's limit of 2 s for a test.
 */
const REST_LIMIT_MS = 1_500;
const HELD =
  'PGlite has one session, and an open transaction holds it: nothing happened in it for ' +
  `${REST_LIMIT_MS / 1_000} s. Inside your transaction call what \`paymount.using(transaction)\` gives, ` +
  'and nothing else; or end the transaction first.';
const ADMIN_SHUTDOWN = '57P01';
const ROLLBACK = simpleQuery('ROLLBACK');

/** A PostgreSQL in this process, with one session that its clients use in turn. */
export class Engine {
  readonly #pglite: Pglite;
  readonly #waiting: Waiting[] = [];
  #holder: Turn | undefined;
  #sending: Promise<unknown> = Promise.resolve();
  /** The holder has got its response, and has sent nothing since. */
  #isResting = false;
  #restLimit: NodeJS.Timeout | undefined;

  constructor(pglite: Pglite) {
    this.#pglite = pglite;
  }

  /**
   * Waits for its turn.
   * @throws TurnRefusal when a transaction is open and had no statement for 1.5 s, and after the
   * server has ended
   */
  turn(): Promise<Turn> {
    return new Promise((give, refuse) => {
      this.#waiting.push({ give, refuse });
      if (this.#holder === undefined) this.#pass();
      else this.#watch();
    });
  }

  /** Waits for the running statement and ends the server; open transactions are lost. */
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

  /** Runs while a client waits for an idle transaction. */
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
