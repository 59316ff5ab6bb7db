import { type AccountId, type Clock, PaymountError, type Principal } from '@paymount/core/kernel';
import type { IncomingRequest } from '../read-input.ts';
import { formFor } from '../stripe-form.ts';
import { EventStream, type Following } from './event-stream.ts';

const MAX_PER_ACCOUNT = 10;
/** Each queries the database twice a second, and stores up to a megabyte of ids. */
const MAX_IN_ALL = 100;
const RETRY_AFTER_SECONDS = 10;

interface Admission {
  /** As it was first authenticated. */
  readonly principal: Principal;
  readonly admit: () => Principal | Promise<Principal>;
}

/** The streams that are open in this process. */
export class EventStreams {
  readonly #clock: Clock;
  readonly #open = new Set<AbortController>();
  readonly #places = new Map<AccountId, number>();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Opens a stream; its place is free again once it is stopped, or its client has gone. For
   * requests that wait for their turn on a connection, only the socket shows that.
   * @throws PaymountError `rate_limit` if the account, or the process, has no place left;
   *   `invalid_cursor`
   */
  async open(
    { request }: IncomingRequest,
    { start }: Following,
    { principal: { accountId }, admit }: Admission,
  ): Promise<EventStream> {
    const free = this.#take(accountId);
    const stopping = new AbortController();
    const { socket } = request;
    const stop = (): void => stopping.abort();
    this.#open.add(stopping);
    // Many requests may share it; this is not a leak.
    socket.setMaxListeners(socket.getMaxListeners() + 1).once('close', stop);
    stopping.signal.addEventListener('abort', () => {
      socket.off('close', stop).setMaxListeners(socket.getMaxListeners() - 1);
      this.#open.delete(stopping);
      free();
    });
    if (this.#closed || socket.destroyed) stop();
    try {
      const cursor = lastEventId(request.headersDistinct['last-event-id']);
      const feed = await start(cursor, stopping.signal);
      const form = formFor(request);
      return new EventStream({ feed, form, admit, stopping, clock: this.#clock });
    } catch (error) {
      stop();
      throw error;
    }
  }

  /** Ends all streams, and those that are about to open. */
  close(): void {
    this.#closed = true;
    for (const stopping of this.#open) stopping.abort();
  }

  #take(account: AccountId): () => void {
    const taken = this.#places.get(account) ?? 0;
    if (taken >= MAX_PER_ACCOUNT) {
      throw tooManyStreams(
        `The account has ${MAX_PER_ACCOUNT} event streams open here, which is as many as it can have. Close one first.`,
      );
    }
    if (this.#open.size >= MAX_IN_ALL) {
      throw tooManyStreams(
        `This process has ${MAX_IN_ALL} event streams open, which is as many as it can have. Try again later.`,
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

function tooManyStreams(message: string): PaymountError {
  return new PaymountError('rate_limit', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** A client that has received no event sends an empty header. */
function lastEventId(values: readonly string[] = []): string | undefined {
  const text = values.join(', ');
  return text === '' ? undefined : text;
}
