import type { AccountId } from '@paymount/core/kernel';

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
  /** From here on an account gets no slot of the last quarter, which is kept for the others. */
  readonly perAccount: number;
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
    perAccount: 128,
    replays: 64,
    aside: 1_024,
  },
  slow: {
    slots: 32,
    perEndpoint: 1,
    perEndpointRelaxed: 1,
    perOrigin: 8,
    perAccount: 16,
    replays: 8,
    aside: 0,
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
  readonly #accounts = new Map<AccountId, number>();
  #taken = 0;
  #aside = 0;
  #replays = 0;

  constructor(limits: LaneLimits) {
    this.limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Sends that run, also without a slot. */
  get running(): number {
    return this.#taken + this.#aside;
  }

  /** Below 0 if sends were moved here while every slot was taken. */
  get free(): number {
    return this.limits.slots - this.#taken;
  }

  /** How many more sends of replays may start. */
  get freeForReplays(): number {
    return Math.min(this.free, this.limits.replays - this.#replays);
  }

  /** Whether an endpoint may use the higher limit. */
  get isRelaxed(): boolean {
    return this.#taken < this.limits.slots / 2;
  }

  /** Accounts that may not start another send. */
  get fullAccounts(): AccountId[] {
    const { slots, perAccount } = this.limits;
    if (this.free > slots / 4) return [];
    return [...this.#accounts].filter(([, count]) => count >= perAccount).map(([id]) => id);
  }

  /** Whether the lane, the origin and the account have room for one more. */
  hasRoomFor({ accountId, origin, isReplay }: SendFacts): boolean {
    const { slots, perOrigin, perAccount } = this.limits;
    if (this.free <= 0 || (this.#origins.get(origin) ?? 0) >= perOrigin) return false;
    // Many accounts may use the same service, and one of them must not take all its slots.
    const share = this.#sharesOfOrigins.get(shareKey(origin, accountId)) ?? 0;
    if (share >= Math.ceil(perOrigin / 2)) return false;
    if ((this.#accounts.get(accountId) ?? 0) >= perAccount && this.free <= slots / 4) return false;
    if (!isReplay) return true;
    const replays = this.#replaysOfOrigins.get(origin) ?? 0;
    return this.freeForReplays > 0 && replays < shareOfReplays(perOrigin);
  }

  add(facts: SendFacts): void {
    this.#count(facts, 1);
  }

  /**
   * Gives back the slot of a send that continues, while half of the slots or more are used. The send
   * still counts for its origin, account and replays.
   * @returns whether it did
   */
  setAside(): boolean {
    if (this.isRelaxed || this.#aside >= this.limits.aside) return false;
    this.#taken -= 1;
    this.#aside += 1;
    return true;
  }

  /** @param isAside whether the send has given back its slot */
  remove(facts: SendFacts, isAside: boolean): void {
    this.#count(facts, -1);
    if (!isAside) return;
    this.#taken += 1;
    this.#aside -= 1;
  }

  #count({ accountId, origin, isReplay }: SendFacts, by: 1 | -1): void {
    this.#taken += by;
    change(this.#origins, origin, by);
    change(this.#accounts, accountId, by);
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
