import { type AccountId, type Clock, PaymountError, type Principal } from '@paymount/core';
import type { Arrival } from '../read-sent.ts';
import { EventStream, type Following } from './event-stream.ts';

const MAX_PER_ACCOUNT = 10;
const RETRY_AFTER_SECONDS = 10;

interface Admission {
  /** As it was admitted first. */
  readonly principal: Principal;
  readonly admit: () => unknown;
}

/** The streams that are open in this process. */
export class EventStreams {
  readonly #clock: Clock;
  readonly #open = new Set<EventStream>();
  readonly #places = new Map<AccountId, number>();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Opens a stream; its place is free again once it is stopped.
   * @throws PaymountError `rate_limit` when the account has ten open; `invalid_cursor`
   */
  async open(
    { request }: Arrival,
    { start }: Following,
    { principal: { accountId }, admit }: Admission,
  ): Promise<EventStream> {
    const free = this.#take(accountId);
    try {
      const feed = await start(lastEventId(request.headersDistinct['last-event-id']));
      const stream = new EventStream({ feed, admit, clock: this.#clock });
      this.#open.add(stream);
      stream.stopped.addEventListener('abort', () => {
        this.#open.delete(stream);
        free();
      });
      if (this.#closed) stream.stop();
      return stream;
    } catch (error) {
      free();
      throw error;
    }
  }

  /** Ends them all, and those that are about to open. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#open) stream.stop();
  }

  #take(account: AccountId): () => void {
    const taken = this.#places.get(account) ?? 0;
    if (taken >= MAX_PER_ACCOUNT) {
      throw new PaymountError(
        'rate_limit',
        `The account has ${MAX_PER_ACCOUNT} event streams open here, which is as many as it can have. Close one first.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
    this.#places.set(account, taken + 1);
    return () => {
      const left = (this.#places.get(account) ?? 1) - 1;
      if (left === 0) this.#places.delete(account);
      else this.#places.set(account, left);
    };
  }
}

/** An empty header is what a client sends that has had no event. */
function lastEventId(values: readonly string[] = []): string | undefined {
  const text = values.join(', ');
  return text === '' ? undefined : text;
}
