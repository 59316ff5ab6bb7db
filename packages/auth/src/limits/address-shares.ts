import { addressBlock } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';

/** The requests that may be read at the same time before it is known who sends them. */
export interface ShareLimits {
  /** From everybody together: it limits the memory that their bodies take. */
  readonly total: number;
  /** From one address, or one IPv6 network. */
  readonly perAddress: number;
  /** The part of `total` that only addresses take that have proved before who they are. */
  readonly reserved: number;
}

/** What happens in a place. */
export interface ShareWork<Body, Result> {
  /** Reads the body, until the signal aborts because another sender gets the place. */
  readonly read: (signal: AbortSignal) => Promise<Body>;
  /** What follows; nobody else gets the place before its end. */
  readonly handle: (body: Body) => Promise<Result>;
  /** Whether the result proves who sent the request; then the address is remembered. */
  readonly isGenuine: (result: Result) => boolean;
}

/** How long a request waits for a place; its body is not read meanwhile. */
const WAIT_LIMIT_MS = 1_000;
/** In less time most bodies arrive: until then nobody loses a place. */
const UNDISTURBED_MS = 500;
/** Waiting requests of one address, and of all together; more are answered 503. */
const MAX_WAITING_OF_ADDRESS = 100;
const MAX_WAITING = 1_000;
/** The addresses that are remembered because they have proved who they are. */
const MAX_KNOWN = 1_000;

/** A request that has a place. */
interface Place {
  readonly block: string;
  readonly sinceMs: number;
  readonly ending: AbortController;
  isRead: boolean;
}

interface Waiting {
  readonly block: string;
  readonly start: (place: Place) => void;
}

/**
 * Places for requests whose bodies are read before it is known who sends them. Somebody who holds
 * all places of an address, such as with bodies that never end, blocks only that address. If all
 * places are taken, a sender who has fewer than another gets the place of the oldest body of that
 * address that has not arrived within half a second. So strangers with many addresses keep nobody
 * away for long, not even after a start, when no sender is known. The reserved places are for
 * addresses whose requests were genuine before; they do not wait, and lose no place to strangers.
 */
export class AddressShares {
  readonly #limits: ShareLimits;
  /** In order of their arrival. */
  readonly #places = new Set<Place>();
  readonly #running = new Map<string, number>();
  /** In order of their last genuine request. */
  readonly #known = new Set<string>();
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /**
   * Runs work in a place, after a wait of at most 1 s.
   * @param address canonical; all clients with an unknown one may use all places but the reserved ones
   * @throws PaymountError `unavailable` if there is no place, and what the work throws
   */
  async use<Body, Result>(
    address: string | undefined,
    { read, handle, isGenuine }: ShareWork<Body, Result>,
  ): Promise<Result> {
    const block = addressBlock(address);
    const place = this.#hasRoom(block) ? this.#take(block) : await this.#wait(block);
    try {
      const body = await read(place.ending.signal);
      place.isRead = true;
      const result = await handle(body);
      if (isGenuine(result)) this.#remember(block);
      return result;
    } finally {
      this.#leave(place);
    }
  }

  #remember(block: string): void {
    if (block === UNKNOWN) return;
    this.#known.delete(block);
    this.#known.add(block);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  #hasRoom(block: string): boolean {
    const { total, reserved } = this.#limits;
    if (this.#places.size >= (this.#known.has(block) ? total : total - reserved)) return false;
    return this.#mayHaveMore(block);
  }

  #mayHaveMore(block: string): boolean {
    return block === UNKNOWN || this.#runningOf(block) < this.#limits.perAddress;
  }

  #take(block: string): Place {
    const ending = new AbortController();
    const place: Place = { block, sinceMs: performance.now(), ending, isRead: false };
    this.#places.add(place);
    this.#running.set(block, this.#runningOf(block) + 1);
    return place;
  }

  #runningOf(block: string): number {
    return this.#running.get(block) ?? 0;
  }

  #wait(block: string): Promise<Place> {
    const ofBlock = [...this.#waiting].filter((waiting) => waiting.block === block).length;
    if (this.#waiting.size >= MAX_WAITING || ofBlock >= MAX_WAITING_OF_ADDRESS) throw busy();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(() => reject(busy())), WAIT_LIMIT_MS);
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        settle();
      };
      const waiting: Waiting = { block, start: (place) => end(() => resolve(place)) };
      this.#waiting.add(waiting);
      this.#serveWaiting();
    });
  }

  #leave(place: Place): void {
    this.#places.delete(place);
    const left = this.#runningOf(place.block) - 1;
    if (left > 0) this.#running.set(place.block, left);
    else this.#running.delete(place.block);
    this.#serveWaiting();
  }

  /** Gives free places to those who wait; if there is none, one of them gets that of another. */
  #serveWaiting(): void {
    clearTimeout(this.#timer);
    for (let next = this.#nextWaiting(); next; next = this.#nextWaiting()) {
      if (!this.#hasRoom(next.block)) {
        this.#makeRoom(next.block);
        return;
      }
      // It takes the place here, before a new request can.
      next.start(this.#take(next.block));
    }
  }

  /** Of those whose address may have more, the oldest of those that have least. */
  #nextWaiting(): Waiting | undefined {
    let [least, next]: [number, Waiting | undefined] = [Number.POSITIVE_INFINITY, undefined];
    for (const waiting of this.#waiting) {
      const running = this.#runningOf(waiting.block);
      if (running < least && this.#mayHaveMore(waiting.block)) [least, next] = [running, waiting];
    }
    return next;
  }

  /** Ends the reading of one body, or waits until it has had its time. It leaves its place then. */
  #makeRoom(block: string): void {
    const place = this.#placeFor(block);
    if (place === undefined) return;
    const restMs = place.sinceMs + UNDISTURBED_MS - performance.now();
    if (restMs <= 0) place.ending.abort(placeLost());
    else this.#timer = setTimeout(() => this.#serveWaiting(), restMs);
  }

  /** The oldest unfinished body of the address that has most, if that is more than the other has. */
  #placeFor(block: string): Place | undefined {
    const isKnown = this.#known.has(block);
    // Clients with an unknown address may be anybody, so each counts as another sender.
    let most = block === UNKNOWN ? 0 : this.#runningOf(block);
    let found: Place | undefined;
    for (const place of this.#places) {
      if (place.ending.signal.aborted && !place.isRead) return undefined;
      const mayLose = !place.isRead && (isKnown || !this.#known.has(place.block));
      const running = this.#runningOf(place.block);
      if (mayLose && running > most) [most, found] = [running, place];
    }
    return found;
  }
}

const UNKNOWN = addressBlock(undefined);

function busy(): PaymountError {
  return new PaymountError('unavailable', undefined, { retryAfterSeconds: 1 });
}

/** What a body ends with whose place another sender gets; the connection closes. */
function placeLost(): PaymountError {
  return new PaymountError(
    'body_timeout',
    'The body had not arrived when another sender needed its place. Send it again, without a pause.',
  );
}
