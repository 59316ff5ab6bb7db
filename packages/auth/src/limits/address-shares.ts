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

/** How long a request waits for a place; its body is not read meanwhile. */
const WAIT_LIMIT_MS = 1_000;
/** Waiting requests of one address, and of all together; more are answered 503. */
const MAX_WAITING_OF_ADDRESS = 100;
const MAX_WAITING = 1_000;
/** The addresses that are remembered because they have proved who they are. */
const MAX_KNOWN = 1_000;

interface Waiting {
  readonly block: string;
  readonly start: () => void;
}

/**
 * Places for requests whose bodies are read before it is known who sends them. Somebody who holds
 * all places of an address, such as with bodies that never end, blocks only that address. Strangers
 * with many addresses cannot take the reserved places either, so that a processor or a platform
 * whose requests were genuine before is still served.
 */
export class AddressShares {
  readonly #limits: ShareLimits;
  readonly #running = new Map<string, number>();
  /** In order of their last genuine request. */
  readonly #known = new Set<string>();
  readonly #waiting = new Set<Waiting>();
  #count = 0;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /**
   * Runs work in a place, after a wait of at most 1 s.
   * @param address canonical; all clients with an unknown one may use all places but the reserved ones
   * @param isGenuine whether the result proves who sent the request; then the address is remembered
   * @throws PaymountError `unavailable` if there is no place, and what the work throws
   */
  async use<Result>(
    address: string | undefined,
    work: () => Promise<Result>,
    isGenuine: (result: Result) => boolean,
  ): Promise<Result> {
    const block = addressBlock(address);
    if (this.#hasRoom(block)) this.#take(block);
    else await this.#wait(block);
    try {
      const result = await work();
      if (isGenuine(result)) this.#remember(block);
      return result;
    } finally {
      this.#leave(block);
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
    const { total, perAddress, reserved } = this.#limits;
    if (this.#count >= (this.#known.has(block) ? total : total - reserved)) return false;
    return block === UNKNOWN || this.#runningOf(block) < perAddress;
  }

  #take(block: string): void {
    this.#count += 1;
    this.#running.set(block, this.#runningOf(block) + 1);
  }

  #runningOf(block: string): number {
    return this.#running.get(block) ?? 0;
  }

  #wait(block: string): Promise<void> {
    const ofBlock = [...this.#waiting].filter((waiting) => waiting.block === block).length;
    if (this.#waiting.size >= MAX_WAITING || ofBlock >= MAX_WAITING_OF_ADDRESS) throw busy();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(() => reject(busy())), WAIT_LIMIT_MS);
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        settle();
      };
      const waiting: Waiting = { block, start: () => end(resolve) };
      this.#waiting.add(waiting);
    });
  }

  #leave(block: string): void {
    this.#count -= 1;
    const left = this.#runningOf(block) - 1;
    if (left > 0) this.#running.set(block, left);
    else this.#running.delete(block);
    for (const waiting of this.#waiting) {
      if (!this.#hasRoom(waiting.block)) continue;
      // It takes the place here, before a new request can.
      this.#take(waiting.block);
      waiting.start();
      return;
    }
  }
}

const UNKNOWN = addressBlock(undefined);

function busy(): PaymountError {
  return new PaymountError('unavailable', undefined, { retryAfterSeconds: 1 });
}
