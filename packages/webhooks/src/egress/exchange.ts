import { type Dispatcher, errors } from 'undici';
import type { Connection } from './connector.ts';
import { type EgressDetail, EgressError, foldExchangeError } from './egress-error.ts';

/** A request that is about to be written. */
export interface StartedRequest {
  readonly connection: Connection;
  /** Whether the connection has carried a request before. */
  readonly isReused: boolean;
}

/** The connection of an exchange. */
export interface ExchangeLine {
  /** Called before the request is written; undefined without a connection. */
  start(): StartedRequest | undefined;
  /** Ends a running connect with this error. */
  cancelDial(error: EgressError): void;
  /** Why the parser refuses the response. */
  findFault(): EgressDetail;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** The end of one exchange, and its timings. */
export interface ExchangeEnd {
  readonly head?: ResponseHead | undefined;
  readonly body: Buffer;
  readonly truncated: boolean;
  /** Present if no headers arrived. */
  readonly error?: EgressError | undefined;
  /** Absent if nothing of the request was written. */
  readonly connection?: Connection | undefined;
  readonly reusedConnection: boolean;
  /** Milliseconds from the written request to the headers. */
  readonly waitMs?: number | undefined;
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
/** Of the response, the informational ones (1xx) before it included. */
const MAX_HEADER_BYTES = 16_384;
/** With the headers, and with what chunked encoding adds to 16 KiB of a body. */
const MAX_RESPONSE_BYTES = 131_072;

/**
 * One request and its response, as undici's handler. States, in order: connecting or waiting for
 * the reused socket, written, headers received, ended. One timer is armed at a time: slow, then the
 * deadline, then the body's end. undici's own timers are off, because a byte a second would restart
 * them forever.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #listener: ExchangeListener;
  #line: ExchangeLine | undefined;
  #started: StartedRequest | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #head: ResponseHead | undefined;
  #chunks: Buffer[] = [];
  #bodyBytes = 0;
  #ended = false;
  #slowTold = false;
  #writtenAtMs = 0;
  #waitMs: number | undefined;

  constructor(limits: ExchangeLimits, listener: ExchangeListener) {
    this.#limits = limits;
    this.#listener = listener;
    this.#arm(performance.now());
  }

  /** Sets the connection that sends the request. */
  onLine(line: ExchangeLine): void {
    this.#line = line;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended) {
      controller.abort(new EgressError('timeout'));
      return;
    }
    this.#started = this.#line?.start();
    this.#writtenAtMs = performance.now();
    // undici writes the request in this same turn.
    if (this.#limits.onWritten !== undefined) queueMicrotask(this.#limits.onWritten);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (this.#ended) return;
    // The line has left out what is only informational; the deadline continues.
    if (status < 200) return;
    const nowMs = performance.now();
    this.#head = { status, headers: present(headers) };
    this.#waitMs = nowMs - this.#writtenAtMs;
    const bodyMs = Math.min(this.#limits.bodyMs, this.#limits.deadlineMs - nowMs);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#cut(), bodyMs);
  }

  /** Called with all bytes of informational responses (1xx) so far, which the parser does not see. */
  onLeftOut(bytes: number): void {
    if (!this.#ended && bytes > MAX_HEADER_BYTES) this.#refuseHeaders();
  }

  /**
   * Called when the parser has read what has arrived. It does not limit what stands between the chunks
   * of a body.
   * @param bytes all bytes since the request started
   */
  onBytes(bytes: number): void {
    if (this.#ended) return;
    if (this.#head === undefined && bytes > MAX_HEADER_BYTES) this.#refuseHeaders();
    else if (bytes > MAX_RESPONSE_BYTES) this.#cut();
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
    else {
      const fault = (): EgressDetail => this.#line?.findFault() ?? 'malformed';
      this.#end({ truncated: false, error: foldExchangeError(error, fault) });
    }
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
    this.#fail(new EgressError('timeout'));
  }

  #refuseHeaders(): void {
    this.#fail(new EgressError('invalid_response', 'headers_too_large'));
  }

  #fail(error: EgressError): void {
    this.#end({ truncated: false, error });
    this.#controller?.abort(error);
    if (this.#controller === undefined) this.#line?.cancelDial(error);
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
    const started = this.#started;
    this.#listener.ended({
      head: this.#head,
      body: joined(this.#chunks),
      truncated: how.truncated,
      error: how.error,
      connection: started?.connection,
      reusedConnection: started?.isReused === true,
      waitMs: this.#waitMs,
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
