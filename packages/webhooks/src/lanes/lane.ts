import type { AccountId } from '@paymount/core/kernel';
import { SharedPlaces } from './shared-places.ts';

/** The limits for one kind of traffic in this process. */
export interface LaneLimits {
  /** Sends at once. */
  readonly slots: number;
  readonly perEndpoint: number;
  /**
   * The higher limit while under half of the slots are used and the last response of the endpoint
   * was 2xx, within 3 s.
   */
  readonly perEndpointRelaxed: number;
  /**
   * Endpoints of one origin share a server, which many of them must not overload. One account gets
   * half of it.
   */
  readonly perOrigin: number;
  /**
   * An account gets a slot while it has fewer than so many times the free ones: with 3, one account alone
   * gets three quarters of them, and several that want more than there is get equal shares.
   */
  readonly accountShare: number;
  /** The last slots, of which an account gets only its first. */
  readonly reserved: number;
  /** The maximum number of concurrent sends of replays, so that fresh events barely wait. */
  readonly replays: number;
  /** The maximum number of sends that gave back their slot before they ended. */
  readonly aside: number;
}

/** The limits of one process: `fast`, and `slow` for endpoints that do not answer within 3 s. */
export const LANES = {
  fast: {
    slots: 256,
    perEndpoint: 4,
    perEndpointRelaxed: 32,
    perOrigin: 64,
    accountShare: 3,
    reserved: 32,
    replays: 64,
    aside: 1_024,
  },
  slow: {
    slots: 32,
    perEndpoint: 1,
    perEndpointRelaxed: 1,
    perOrigin: 8,
    accountShare: 3,
    reserved: 4,
    replays: 8,
    aside: 256,
  },
} as const satisfies Record<string, LaneLimits>;

/** What a send counts towards. */
export interface SendFacts {
  readonly accountId: AccountId;
  /** Scheme, host and port of the URL. */
  readonly origin: string;
  readonly isReplay: boolean;
}

/** At most half, so that a fresh event finds a slot; one if there is only one. */
export function shareOfReplays(limit: number): number {
  return Math.max(1, Math.floor(limit / 2));
}

/** Counts the concurrent sends of one lane. Pure bookkeeping, without time or network. */
export class Lane {
  readonly limits: LaneLimits;
  readonly #origins = new Map<string, number>();
  readonly #replaysOfOrigins = new Map<string, number>();
  /** Sends by origin and account. */
  readonly #sharesOfOrigins = new Map<string, number>();
  readonly #slots: SharedPlaces;
  readonly #aside: SharedPlaces;
  #replays = 0;

  constructor(limits: LaneLimits) {
    this.limits = limits;
    const { slots, aside, accountShare, reserved } = limits;
    this.#slots = new SharedPlaces({ size: slots, accountShare, reserved });
    // Who finds no place here keeps its slot.
    this.#aside = new SharedPlaces({ size: aside, accountShare, reserved: 0 });
  }

  get taken(): number {
    return this.#slots.taken;
  }

  /** Sends that run, also without a slot. */
  get running(): number {
    return this.#slots.taken + this.#aside.taken;
  }

  /** Below 0 if sends were moved here while every slot was taken. */
  get free(): number {
    return this.#slots.free;
  }

  /** How many more sends of replays may start. */
  get freeForReplays(): number {
    return Math.min(this.free, this.limits.replays - this.#replays);
  }

  /** Whether an endpoint may use the higher limit. */
  get isRelaxed(): boolean {
    return this.taken < this.limits.slots / 2;
  }

  /** Whether a send of the account takes a slot. */
  hasSlot(account: AccountId): boolean {
    return this.#slots.has(account);
  }

  /** Accounts that may not start another send. */
  get fullAccounts(): AccountId[] {
    return this.#slots.fullAccounts;
  }

  /** Whether the lane, the origin and the account have room for one more. */
  hasRoomFor({ accountId, origin, isReplay }: SendFacts): boolean {
    const { perOrigin } = this.limits;
    if (!this.#slots.hasRoomFor(accountId)) return false;
    if ((this.#origins.get(origin) ?? 0) >= perOrigin) return false;
    // Many accounts may use the same service, and one of them must not take all its slots.
    const share = this.#sharesOfOrigins.get(shareKey(origin, accountId)) ?? 0;
    if (share >= Math.ceil(perOrigin / 2)) return false;
    if (!isReplay) return true;
    const replays = this.#replaysOfOrigins.get(origin) ?? 0;
    return this.freeForReplays > 0 && replays < shareOfReplays(perOrigin);
  }

  add(facts: SendFacts): void {
    this.#slots.add(facts.accountId, 1);
    this.#count(facts, 1);
  }

  /**
   * Gives back the slot of a send that continues, while half of the slots or more are used. The send
   * still counts for its origin and replays.
   * @returns whether it did
   */
  setAside({ accountId }: SendFacts): boolean {
    if (this.isRelaxed || !this.#aside.hasRoomFor(accountId)) return false;
    this.#slots.add(accountId, -1);
    this.#aside.add(accountId, 1);
    return true;
  }

  /** @param isAside whether the send has given back its slot */
  remove(facts: SendFacts, isAside: boolean): void {
    (isAside ? this.#aside : this.#slots).add(facts.accountId, -1);
    this.#count(facts, -1);
  }

  #count({ accountId, origin, isReplay }: SendFacts, by: 1 | -1): void {
    change(this.#origins, origin, by);
    change(this.#sharesOfOrigins, shareKey(origin, accountId), by);
    if (!isReplay) return;
    this.#replays += by;
    change(this.#replaysOfOrigins, origin, by);
  }
}

function shareKey(origin: string, accountId: AccountId): string {
  return `${accountId} ${origin}`;
}

function change<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
