import { Duplex } from 'node:stream';
import { type Engine, type Turn, TurnRefusal } from './engine.ts';
import { awaitsReady, endsIdle, errorResponse, isTerminate, READY_IDLE } from './messages.ts';

type Done = (error?: Error | null) => void;

/**
 * What a `pg` client takes for its socket: the same messages, answered by a PostgreSQL in this
 * process. A client has the one session that there is from its first message until it is idle again, so
 * until the end of a transaction; the others wait.
 */
export class PgliteSocket extends Duplex {
  readonly #engine: Engine;
  #turn: Turn | undefined;
  /** The first messages log in; they have a form of their own. */
  #isLoggedIn = false;
  /** After a refusal, messages up to the next that awaits readiness are passed over. */
  #isRefused = false;

  constructor(engine: Engine) {
    super({ allowHalfOpen: false });
    this.#engine = engine;
  }

  /** Called by `pg` where it would dial. */
  connect(): this {
    queueMicrotask(() => this.emit('connect'));
    return this;
  }

  /** Of a socket's settings there is nothing to set. */
  setNoDelay(): this {
    return this;
  }

  /** As `setNoDelay`. */
  setKeepAlive(): this {
    return this;
  }

  /** Nothing here keeps a process alive. */
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
    // Whoever has the session next must not find a transaction of this one.
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

  /** As a server does: the client gets an error, and may try again later once it is logged in. */
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
