import { Duplex } from 'node:stream';
import { type Engine, type Turn, TurnRefusal } from './engine.ts';
import { awaitsReady, endsIdle, errorResponse, isTerminate, READY_IDLE } from './messages.ts';

type Done = (error?: Error | null) => void;

/**
 * Acts as the socket of a `pg` client: a PostgreSQL in this process responds to its messages. A
 * client holds the only session from its first message until it is idle again, that is, until the
 * end of a transaction. The other clients wait.
 */
export class PgliteSocket extends Duplex {
  readonly #engine: Engine;
  #turn: Turn | undefined;
  /** The first messages log in; they have a different format. */
  #isLoggedIn = false;
  /** After an error, messages are skipped up to the next one that expects ReadyForQuery. */
  #isRefused = false;

  constructor(engine: Engine) {
    super({ allowHalfOpen: false });
    this.#engine = engine;
  }

  /** Called by `pg` to connect. */
  connect(): this {
    queueMicrotask(() => this.emit('connect'));
    return this;
  }

  /** Does nothing; there is no real socket to configure. */
  setNoDelay(): this {
    return this;
  }

  /** As `setNoDelay`. */
  setKeepAlive(): this {
    return this;
  }

  /** Does nothing; this never keeps a process alive. */
  ref(): this {
    return this;
  }

  /** As `ref`. */
  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    this.#answer(chunk).then(() => done(), done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.#answer(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done);
  }

  override _destroy(error: Error | null, done: Done): void {
    // The next holder of the session must not get a transaction of this client.
    const turn = this.#turn;
    this.#turn = undefined;
    turn?.abandon();
    done(error);
  }

  async #answer(messages: Buffer): Promise<void> {
    if (this.#isLoggedIn && isTerminate(messages)) {
      this.push(null);
      return;
    }
    if (this.#isRefused) {
      this.#passOver(messages);
      return;
    }
    try {
      this.#turn ??= await this.#engine.turn();
    } catch (error) {
      if (!(error instanceof TurnRefusal)) throw error;
      this.#refuse(messages, error);
      return;
    }
    await this.#send(this.#turn, messages);
  }

  async #send(turn: Turn, messages: Buffer): Promise<void> {
    if (this.destroyed) {
      turn.abandon();
      return;
    }
    const answer = await turn.send(messages);
    if (this.destroyed) return;
    if (endsIdle(answer)) {
      this.#isLoggedIn = true;
      this.#turn = undefined;
      turn.end();
    }
    if (answer.length > 0) this.push(answer);
  }

  /** Like a server: the client gets an error and, if it is logged in, may try again later. */
  #refuse(messages: Buffer, why: TurnRefusal): void {
    if (this.destroyed) return;
    this.push(errorResponse(this.#isLoggedIn ? 'ERROR' : 'FATAL', why));
    if (!this.#isLoggedIn) {
      this.push(null);
      return;
    }
    this.#isRefused = true;
    this.#passOver(messages);
  }

  #passOver(messages: Buffer): void {
    if (!awaitsReady(messages)) return;
    this.#isRefused = false;
    this.push(READY_IDLE);
  }
}
