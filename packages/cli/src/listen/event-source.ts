import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { authorization, readFailure, unreachable } from '../api-client.ts';
import type { ApiSettings } from '../api-settings.ts';
import { CommandFailure } from '../command-line/command-failure.ts';
import { objectIn, stringField } from '../json-value.ts';
import { describeConnectionError, plainText } from '../plain-text.ts';
import { sendRequest, toBuffer } from '../send-request.ts';
import { type Block, StreamBlocks } from './stream-blocks.ts';

const HEAD_LIMIT_MS = 30_000;
/** The server sends something every 15 s. */
const SILENCE_LIMIT_MS = 45_000;
const FIRST_RETRY_MS = 2_000;
const LEAST_RETRY_MS = 100;
const MAX_RETRY_MS = 30_000;
/**
 * A resume goes back five minutes. If there are more ids than this in that time, duplicates may
 * pass.
 */
const MAX_SEEN = 20_000;
const EVENT_ID = /^evt_[0-9a-z]{26}$/;

/** An event as the stream sends it. */
export interface StreamedEvent {
  readonly id: string;
  readonly type: string;
  /** The exact bytes that deliveries send. */
  readonly body: string;
}

export interface SourceOptions {
  readonly settings: ApiSettings;
  readonly types: readonly string[];
  readonly stop: AbortSignal;
  /** Called once, when it can resume: from then on a lost connection loses no event. */
  readonly onOpen: () => void;
  /** Called with the reason when a connection ends, and the milliseconds until the next try. */
  readonly onCut: (reason: string, waitMs: number) => void;
}

/** The events of an account, each once, over one connection after another. */
export class EventSource {
  readonly #options: SourceOptions;
  readonly #seen = new Set<string>();
  /** Events with ids up to this one existed before the stream began. */
  #floor = '';
  #isOpened = false;
  /** The state of the connection; the server marks the end of the repeated events. */
  #part: 'fresh' | 'anew' | 'live' = 'fresh';
  #lastEventId: string | undefined;
  #retryMs = FIRST_RETRY_MS;
  #failures = 0;
  #onOpen: (() => void) | undefined;

  constructor(options: SourceOptions) {
    this.#options = options;
    this.#onOpen = options.onOpen;
  }

  /**
   * Ends once `stop` is aborted.
   * @throws CommandFailure 1 if the key is refused, if the first connection fails, or after an error
   *   that a retry would not fix
   */
  async *events(): AsyncGenerator<StreamedEvent> {
    const { stop, onCut } = this.#options;
    while (!stop.aborted) {
      let reason = 'the server ended it';
      try {
        for await (const block of this.#blocks()) yield* this.#toEvents(block);
      } catch (error) {
        if (stop.aborted) return;
        if (error instanceof CommandFailure) throw error;
        if (!this.#isOpened) throw unreachable(error);
        reason = describeConnectionError(error);
      }
      if (stop.aborted) return;
      const waitMs = Math.min(this.#retryMs * 2 ** this.#failures, MAX_RETRY_MS);
      this.#failures = Math.min(this.#failures + 1, 10);
      onCut(reason, waitMs);
      // Clients that lost their connection in one restart do not all reconnect at the same moment.
      await pause(waitMs * (1 + Math.random() / 4), undefined, { signal: stop }).catch(
        () => undefined,
      );
    }
  }

  async *#blocks(): AsyncGenerator<Block> {
    const response = await this.#connect();
    const blocks = new StreamBlocks();
    const chunks = response[Symbol.asyncIterator]();
    try {
      for (;;) {
        const chunk = await inTime(chunks.next(), response);
        if (chunk.done === true) return;
        this.#failures = 0;
        yield* blocks.read(toBuffer(chunk.value));
      }
    } finally {
      response.destroy();
    }
  }

  /** @throws CommandFailure for an error that a retry would not fix; Error for a temporary one */
  async #connect(): Promise<IncomingMessage> {
    const { settings, types, stop } = this.#options;
    const query = types.map((type) => `types[]=${encodeURIComponent(type)}`).join('&');
    const response = await sendRequest({
      method: 'GET',
      url: `${settings.baseUrl}/v1/events/stream${query && `?${query}`}`,
      headers: {
        ...authorization(settings.key),
        Accept: 'text/event-stream',
        ...(this.#lastEventId !== undefined && { 'Last-Event-ID': this.#lastEventId }),
      },
      signal: stop,
      limitMs: HEAD_LIMIT_MS,
    });
    const type = response.headers['content-type'] ?? '';
    if (response.statusCode !== 200 || !type.startsWith('text/event-stream')) {
      throw await this.#refusal(response);
    }
    this.#part = this.#lastEventId === undefined ? 'fresh' : 'anew';
    this.#isOpened = true;
    return response;
  }

  async #refusal(response: IncomingMessage): Promise<Error> {
    const { statusCode: status = 0 } = response;
    const refusal = await readFailure(response);
    if (refusal.code === 'invalid_cursor' && this.#lastEventId !== undefined) {
      this.#lastEventId = undefined;
      return new Error('its place in it is no longer known, so it continues with new events');
    }
    const mayPass = this.#isOpened && (status === 429 || status >= 500);
    return mayPass ? new Error(`it answered ${status}`) : refusal;
  }

  *#toEvents({ id, event, data, retryMs }: Block): Generator<StreamedEvent> {
    if (retryMs !== undefined) this.#retryMs = Math.max(retryMs, LEAST_RETRY_MS);
    if (event === 'end') throw toStreamEnd(data ?? '');
    if (id === undefined || !EVENT_ID.test(id)) return;
    this.#lastEventId = id;
    this.#onOpen?.();
    this.#onOpen = undefined;
    if (data === undefined) this.#markAt(id);
    if (data === undefined || event !== undefined || !this.#isNew(id)) return;
    const envelope = objectIn(data);
    if (envelope?.['livemode'] !== false) {
      throw new CommandFailure(
        1,
        'test_mode_only',
        'The stream sends an event that is not of test.',
      );
    }
    yield { id, type: plainText(stringField(envelope, 'type')), body: data };
  }

  /**
   * Everything that was committed earlier has been sent, or was skipped because the stream is new.
   */
  #markAt(id: string): void {
    if (this.#part === 'fresh') this.#floor = id;
    this.#part = 'live';
  }

  #isNew(id: string): boolean {
    if (this.#seen.has(id)) return false;
    this.#seen.add(id);
    const [oldest] = this.#seen;
    if (this.#seen.size > MAX_SEEN && oldest !== undefined) this.#seen.delete(oldest);
    // Events that a stream repeats may be older than the first stream. All others are new, even
    // with a smaller id: they were committed late.
    return this.#part !== 'anew' || id > this.#floor;
  }
}

function toStreamEnd(data: string): CommandFailure {
  const end = objectIn(data) ?? {};
  const message = plainText(stringField(end, 'message'));
  return new CommandFailure(
    1,
    plainText(stringField(end, 'code')),
    `The stream has ended. ${message}`,
  );
}

/** Closes a connection on which nothing arrives any more. */
function inTime<Value>(next: Promise<Value>, response: IncomingMessage): Promise<Value> {
  const late = (): void => void response.destroy(new Error('the server fell silent'));
  const timer = setTimeout(late, SILENCE_LIMIT_MS);
  return next.finally(() => clearTimeout(timer));
}
