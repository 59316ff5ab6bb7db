import { type Dispatcher, errors } from 'undici';
import type { Connection, Dialing } from './connector.ts';
import { EgressError, foldExchangeError } from './egress-error.ts';

/** The facts about the one socket of an undici client; its connector sets them. */
export interface Line {
  connection: Connection | undefined;
  /** Requests written to `connection` so far. */
  requests: number;
  /** The running connect, if any. */
  dialing: Dialing | undefined;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** The end of one exchange, and its timings. */
export interface ExchangeEnd {
  readonly head?: ResponseHead;
  readonly body: Buffer;
  readonly truncated: boolean;
  /** Present if no headers arrived. */
  readonly error?: EgressError;
  readonly connection?: Connection;
  readonly reusedConnection: boolean;
  /**
   * True if a reused connection broke before the first byte of the response, so that a new one may
   * work.
   */
  readonly diedIdle: boolean;
  /** Milliseconds from the written request to the headers. */
  readonly waitMs?: number;
}

/** Called once with the end of an exchange. */
export interface ExchangeListener {
  ended(end: ExchangeEnd): void;
  /** undici refused the request; nothing was sent. */
  refused(error: Error): void;
}

/** Limits of one exchange. All are milliseconds of `performance.now()` or lengths of time. */
export interface ExchangeLimits {
  /** The deadline for the response headers. */
  readonly deadlineMs: number;
  readonly slowAtMs: number;
  readonly onSlow: (() => void) | undefined;
  readonly onWritten: (() => void) | undefined;
  readonly bodyMs: number;
  readonly maxBodyBytes: number;
}

const NO_BODY = Buffer.alloc(0);

/**
 * One request and its response, as undici's handler. States, in order: connecting or waiting for
 * the reused socket, written, headers received, ended. One timer is armed at a time: slow, then the
 * deadline, then the body's end. undici's own timers are off, because a byte a second would restart
 * them forever.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #listener: ExchangeListener;
  #line: Line | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #head: ResponseHead | undefined;
  #chunks: Buffer[] = [];
  #bodyBytes = 0;
  #reused = false;
  #answering = false;
  #ended = false;
  #slowTold = false;
  #writtenAtMs = 0;
  #waitMs: number | undefined;

  constructor(limits: ExchangeLimits, listener: ExchangeListener) {
    this.#limits = limits;
    this.#listener = listener;
    this.#arm(performance.now());
  }

  /** Sets the client that sends the request. */
  onLine(line: Line): void {
    this.#line = line;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended) {
      controller.abort(new EgressError('timeout'));
      return;
    }
    if (this.#line !== undefined) {
      this.#reused = this.#line.requests > 0;
      this.#line.requests += 1;
    }
    this.#writtenAtMs = performance.now();
    // undici writes the request in this same turn.
    if (this.#limits.onWritten !== undefined) queueMicrotask(this.#limits.onWritten);
  }

  onResponseStarted(): void {
    this.#answering = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // A 1xx response is not the final one; the deadline continues.
    if (status < 200 || this.#ended) return;
    const nowMs = performance.now();
    this.#head = { status, headers: present(headers) };
    this.#waitMs = nowMs - this.#writtenAtMs;
    const bodyMs = Math.min(this.#limits.bodyMs, this.#limits.deadlineMs - nowMs);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#cut(), bodyMs);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    const room = this.#limits.maxBodyBytes - this.#bodyBytes;
    this.#chunks.push(chunk.length <= room ? chunk : chunk.subarray(0, room));
    this.#bodyBytes += Math.min(chunk.length, room);
    if (chunk.length > room) this.#cut();
  }

  onResponseEnd(): void {
    this.#end({ truncated: false });
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (error instanceof errors.InvalidArgumentError) {
      clearTimeout(this.#timer);
      this.#ended = true;
      this.#listener.refused(error);
      return;
    }
    // The status has decided; the rest of the body is missing only from the log.
    if (this.#head !== undefined) this.#end({ truncated: true });
    else this.#end({ truncated: false, error: foldExchangeError(error) });
  }

  /** Timers may fire a millisecond early, so each one checks the clock again. */
  #arm(nowMs: number): void {
    const { deadlineMs, slowAtMs, onSlow } = this.#limits;
    const next = onSlow !== undefined && nowMs < slowAtMs ? slowAtMs : deadlineMs;
    this.#timer = setTimeout(() => this.#onTimer(), Math.ceil(next - nowMs));
  }

  #onTimer(): void {
    const nowMs = performance.now();
    const { deadlineMs, slowAtMs, onSlow } = this.#limits;
    if (nowMs < deadlineMs) {
      if (nowMs >= slowAtMs && !this.#slowTold) {
        this.#slowTold = true;
        onSlow?.();
      }
      this.#arm(nowMs);
      return;
    }
    const error = new EgressError('timeout');
    this.#end({ truncated: false, error });
    this.#controller?.abort(error);
    if (this.#controller === undefined) this.#line?.dialing?.cancel(error);
  }

  /** Stops a body that is too long or too slow. */
  #cut(): void {
    this.#end({ truncated: true });
    this.#controller?.abort(new EgressError('timeout'));
  }

  #end(how: { readonly truncated: boolean; readonly error?: EgressError }): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    const { error } = how;
    const connection = this.#controller === undefined ? undefined : this.#line?.connection;
    this.#listener.ended({
      ...(this.#head === undefined ? {} : { head: this.#head }),
      ...(error === undefined ? {} : { error }),
      ...(connection === undefined ? {} : { connection }),
      ...(this.#waitMs === undefined ? {} : { waitMs: this.#waitMs }),
      body: joined(this.#chunks),
      truncated: how.truncated,
      reusedConnection: this.#reused,
      diedIdle: this.#reused && !this.#answering && error?.code === 'connection',
    });
  }
}

function present(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ResponseHead['headers'] {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    // A header with this name would set the prototype.
    if (value !== undefined && name !== '__proto__') kept[name] = value;
  }
  return kept;
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  if (first === undefined) return NO_BODY;
  return chunks.length === 1 ? first : Buffer.concat(chunks);
}
