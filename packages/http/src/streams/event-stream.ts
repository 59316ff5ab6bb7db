import { setTimeout as pause } from 'node:timers/promises';
import { type EventType, mayReadEvent } from '@paymount/core/changes';
import {
  type Clock,
  type ErrorCode,
  errorFacts,
  PaymountError,
  type Principal,
} from '@paymount/core/kernel';
import type { WriteForm } from '../stripe-form.ts';

/** An event, with the delivered bytes. */
interface StreamItem {
  readonly id: string;
  readonly type: EventType;
  /** JSON without line breaks. */
  readonly body: string;
}

/** The source of a stream's events. */
export interface Feed {
  /** A cursor after all events that existed at the start; undefined until those were returned. */
  readonly mark: string | undefined;
  /**
   * The next new events that were not returned before; a bounded number. An event counts as
   * returned once the next one is requested.
   */
  pending(): AsyncIterable<StreamItem>;
  /** Whether that part left some events. */
  readonly isBehind: boolean;
}

/**
 * Starts a feed after the event that a client received last.
 * @param stop aborted when the client has gone
 * @throws PaymountError `invalid_cursor`
 */
export type StartFeed = (lastEventId: string | undefined, stop: AbortSignal) => Promise<Feed>;

/** The result of a stream's handler: starts its feed, once there is a free place. */
export class Following {
  readonly start: StartFeed;

  constructor(start: StartFeed) {
    this.start = start;
  }
}

export interface StreamPorts {
  readonly feed: Feed;
  /** The form in which events are sent. @defaultValue unchanged */
  readonly form?: WriteForm;
  readonly clock: Clock;
  /** Ends the stream, from either side. */
  readonly stopping: AbortController;
  /** Checks the credential again. @throws PaymountError as the guard */
  readonly admit: () => Principal | Promise<Principal>;
}

const SECOND_MS = 1_000;
const POLL_MS = SECOND_MS / 2;
const COMMENT_MS = 15 * SECOND_MS;
const LIFE_MS = 3_600 * SECOND_MS;
/** How long a stream waits for an unavailable database; nothing is sent meanwhile. */
const OUTAGE_MS = 30 * SECOND_MS;
const RETRY_LINE = 'retry: 2000\n\n';
const COMMENT = ': still here\n\n';

/** An endless answer: server-sent events (WHATWG HTML, 9.2), each of them one event. */
export class EventStream {
  readonly #ports: StreamPorts;
  #failingSinceMs: number | undefined;

  constructor(ports: StreamPorts) {
    this.#ports = ports;
  }

  /** Aborted when the stream must end. */
  get stopped(): AbortSignal {
    return this.#ports.stopping.signal;
  }

  /** Safe to call twice. */
  stop(): void {
    this.#ports.stopping.abort();
  }

  /**
   * Writes to the client, in order. Nothing is read ahead: events that the client does not read are
   * not fetched.
   * @throws the error that prevented reading events for 30 s
   */
  async *texts(): AsyncGenerator<string> {
    const { clock, feed } = this.#ports;
    const startedMs = clock.monotonicMs();
    yield RETRY_LINE;
    let saidMs = startedMs;
    let isMarked = false;
    while (!this.stopped.aborted && clock.monotonicMs() - startedMs < LIFE_MS) {
      if (!isMarked && feed.mark !== undefined) {
        isMarked = true;
        yield `id: ${feed.mark}\n\n`;
      }
      for await (const text of this.#round()) {
        if (this.stopped.aborted) return;
        yield text;
        saidMs = clock.monotonicMs();
      }
      if (clock.monotonicMs() - saidMs >= COMMENT_MS) {
        yield COMMENT;
        saidMs = clock.monotonicMs();
      }
      const waitMs = feed.isBehind && this.#failingSinceMs === undefined ? 0 : POLL_MS;
      await pause(waitMs, undefined, { signal: this.stopped }).catch(() => undefined);
    }
  }

  /** One look at what is there. The credential is looked at first, and before each event. */
  async *#round(): AsyncGenerator<string> {
    const { clock, feed, form, admit } = this.#ports;
    try {
      await admit();
      for await (const event of feed.pending()) {
        // The credential may have fewer scopes by now.
        if (!mayReadEvent(await admit(), event.type)) continue;
        yield `id: ${event.id}\ndata: ${form?.(event.body) ?? event.body}\n\n`;
      }
      this.#failingSinceMs = undefined;
    } catch (error) {
      if (PaymountError.is(error) && isRefusal(error.code)) {
        yield renderEnd(error);
        this.stop();
        return;
      }
      this.#failingSinceMs ??= clock.monotonicMs();
      if (clock.monotonicMs() - this.#failingSinceMs >= OUTAGE_MS) throw error;
    }
  }
}

/** Whether the credential may no longer do this; other errors may be temporary. */
function isRefusal(code: ErrorCode): boolean {
  return [401, 403].includes(errorFacts(code).status);
}

function renderEnd({ code, message }: PaymountError): string {
  const facts = { code: 'credential_revoked', reason: code, message };
  return `event: end\ndata: ${JSON.stringify(facts)}\n\n`;
}
