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
  /**
   * Reads the body. What comes before does not cost the sender its place: that may happen from the
   * call of `awaitBody` on, whose signal aborts because another sender gets the place.
   */
  readonly read: (awaitBody: () => AbortSignal) => Promise<Body>;
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
  readonly ending: AbortController;
  /** Since when its body is awaited; undefined before, and once it has arrived. */
  awaitedMs: number | undefined;
}

interface Waiting {
  readonly block: string;
  readonly start: (place: Place) => void;
  readonly refuse: () => void;
}

/**
 * Places for requests whose bodies are read before it is known who sends them. Somebody who holds
 * all places of an address, such as with bodies that never end, blocks only that address. If all
 * places are taken, a sender who has fewer than another gets the place of the oldest body of that
 * address that has not arrived within half a second. If too many wait, the one that came last leaves
 * of the address that has most waiting. So it takes about a hundred addresses that send all the time
 * to keep an unknown sender away. Strangers never take the reserved places. They are for addresses
 * whose requests were genuine before, which come first and lose no place to strangers.
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
      const body = await read(() => {
        place.awaitedMs = performance.now();
        this.#serveWaiting();
        return place.ending.signal;
      });
      place.awaitedMs = undefined;
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

  #hasRoom(block: string, ofStrangers = this.#placesOfStrangers()): boolean {
    const { total, reserved } = this.#limits;
    if (this.#places.size >= total || !this.#mayHaveMore(block)) return false;
    return this.#known.has(block) || ofStrangers < total - reserved;
  }

  #placesOfStrangers(): number {
    let count = 0;
    for (const { block } of this.#places) if (!this.#known.has(block)) count += 1;
    return count;
  }

  #mayHaveMore(block: string): boolean {
    return block === UNKNOWN || this.#runningOf(block) < this.#limits.perAddress;
  }

  #take(block: string): Place {
    const place: Place = { block, ending: new AbortController(), awaitedMs: undefined };
    this.#places.add(place);
    this.#running.set(block, this.#runningOf(block) + 1);
    return place;
  }

  #runningOf(block: string): number {
    return this.#running.get(block) ?? 0;
  }

  #wait(block: string): Promise<Place> {
    this.#makeRoomToWait(block);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.refuse();
        // Another may be served now that this one is not the next any more.
        this.#serveWaiting();
      }, WAIT_LIMIT_MS);
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        settle();
      };
      const waiting: Waiting = {
        block,
        start: (place) => end(() => resolve(place)),
        refuse: () => end(() => reject(busy())),
      };
      this.#waiting.add(waiting);
      this.#serveWaiting();
    });
  }

  /** @throws PaymountError `unavailable` if no address has more waiting than this one */
  #makeRoomToWait(block: string): void {
    const counts = new Map<string, number>();
    for (const waiting of this.#waiting) {
      counts.set(waiting.block, (counts.get(waiting.block) ?? 0) + 1);
    }
    const own = counts.get(block) ?? 0;
    if (own >= MAX_WAITING_OF_ADDRESS) throw busy();
    if (this.#waiting.size < MAX_WAITING) return;
    let [most, last]: [number, Waiting | undefined] = [own, undefined];
    for (const waiting of this.#waiting) {
      const count = counts.get(waiting.block) ?? 0;
      if (count > most || waiting.block === last?.block) [most, last] = [count, waiting];
    }
    if (last === undefined) throw busy();
    last.refuse();
  }

  #leave(place: Place): void {
    this.#places.delete(place);
    const left = this.#runningOf(place.block) - 1;
    if (left > 0) this.#running.set(place.block, left);
    else this.#running.delete(place.block);
    this.#serveWaiting();
  }

  /** Gives free places to all who may have them; then one of the others gets that of a slow body. */
  #serveWaiting(): void {
    clearTimeout(this.#timer);
    for (let next = this.#nextWithRoom(); next; next = this.#nextWithRoom()) {
      // It takes the place here, before a new request can.
      next.start(this.#take(next.block));
    }
    this.#makeRoom();
  }

  #nextWithRoom(): Waiting | undefined {
    const ofStrangers = this.#placesOfStrangers();
    const hasRoom = ({ block }: Waiting): boolean => this.#hasRoom(block, ofStrangers);
    return this.#next(true, hasRoom) ?? this.#next(false, hasRoom);
  }

  /** Of the known or the unknown ones that qualify, the oldest of those that have least. */
  #next(isKnown: boolean, qualifies: (waiting: Waiting) => boolean): Waiting | undefined {
    let [least, next]: [number, Waiting | undefined] = [Number.POSITIVE_INFINITY, undefined];
    for (const waiting of this.#waiting) {
      if (this.#known.has(waiting.block) !== isKnown) continue;
      const running = this.#runningOf(waiting.block);
      if (running < least && qualifies(waiting)) [least, next] = [running, waiting];
    }
    return next;
  }

  /** Ends the reading of one body, or waits until it has had its time. It leaves its place then. */
  #makeRoom(): void {
    for (const { ending, awaitedMs } of this.#places) {
      // This one leaves its place in a moment.
      if (ending.signal.aborted && awaitedMs !== undefined) return;
    }
    const mayHaveMore = ({ block }: Waiting): boolean => this.#mayHaveMore(block);
    // If the one that has least gets no place, no other of its kind does.
    const place =
      this.#placeFor(this.#next(true, mayHaveMore)) ??
      this.#placeFor(this.#next(false, mayHaveMore));
    if (place?.awaitedMs === undefined) return;
    const restMs = place.awaitedMs + UNDISTURBED_MS - performance.now();
    if (restMs <= 0) place.ending.abort(placeLost());
    else this.#timer = setTimeout(() => this.#serveWaiting(), restMs);
  }

  /** The oldest awaited body of the address that has most, if that is more than the other has. */
  #placeFor(waiting: Waiting | undefined): Place | undefined {
    if (waiting === undefined) return undefined;
    const isKnown = this.#known.has(waiting.block);
    // Clients with an unknown address may be anybody, so each counts as another sender.
    let most = waiting.block === UNKNOWN ? 0 : this.#runningOf(waiting.block);
    let found: Place | undefined;
    for (const place of this.#places) {
      const mayLose = place.awaitedMs !== undefined && (isKnown || !this.#known.has(place.block));
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
