import { Duplex } from 'node:stream';
import type { Engine, Turn } from './engine.ts';

type Done = (error?: Error | null) => void;

/** Types of messages, by their first byte (PostgreSQL: Message Formats). */
const TERMINATE = 'X'.charCodeAt(0);
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);
/** A message is its type, and a length that counts itself. */
const LENGTH_AT = 1;

/**
 * What a `pg` client takes for its socket: the same messages, answered by a PostgreSQL in this
 * process. A client has the one session that there is from its first message until it is idle again, so
 * until the end of a transaction; the others wait.
 */
export class PgliteSocket extends Duplex {
  readonly #engine: Engine;
  #turn: Turn | undefined;

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
    if (messages[0] === TERMINATE) {
      this.push(null);
      return;
    }
    this.#turn ??= await this.#engine.turn();
    const turn = this.#turn;
    if (this.destroyed) {
      turn.abandon();
      return;
    }
    const answer = await turn.send(messages);
    if (this.destroyed) return;
    if (isIdle(answer)) {
      this.#turn = undefined;
      turn.end();
    }
    if (answer.length > 0) this.push(answer);
  }
}

/** Whether the last message says that the session is ready, and in no transaction. */
function isIdle(answer: Buffer): boolean {
  let at = 0;
  let idle = false;
  while (at < answer.length) {
    idle = answer[at] === READY_FOR_QUERY && answer[at + LENGTH_AT + 4] === IDLE;
    at += LENGTH_AT + answer.readUInt32BE(at + LENGTH_AT);
  }
  return idle;
}
