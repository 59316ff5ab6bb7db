import type { AccountId } from '@paymount/core/kernel';

export interface PlaceLimits {
  readonly size: number;
  /** An account may take one more while it has fewer than so many times the free ones. */
  readonly accountShare: number;
  /** The last places, of which an account gets only its first. */
  readonly reserved: number;
}

/**
 * Places that accounts share. The more accounts want places, the fewer each gets: this is the "dynamic
 * threshold" of shared buffers in switches (Choudhury and Hahne 1998). `n` accounts that want all get
 * `share / (1 + n * share)` of them each. The reserved ones are there because places are not taken back:
 * so an account that has none finds one, however many the others came to have before.
 */
export class SharedPlaces {
  readonly #limits: PlaceLimits;
  readonly #counts = new Map<AccountId, number>();
  #taken = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Below 0 if more were taken than there are. */
  get free(): number {
    return this.#limits.size - this.#taken;
  }

  /** Whether an account has a place. */
  has(account: AccountId): boolean {
    return this.#counts.has(account);
  }

  hasRoomFor(account: AccountId): boolean {
    return this.free > 0 && (this.#counts.get(account) ?? 0) < this.#most;
  }

  /** Accounts that may not take another place. */
  get fullAccounts(): AccountId[] {
    const most = this.#most;
    return [...this.#counts].filter(([, count]) => count >= most).map(([id]) => id);
  }

  /** @param by -1 gives a place back */
  add(account: AccountId, by: 1 | -1): void {
    this.#taken += by;
    const count = (this.#counts.get(account) ?? 0) + by;
    if (count === 0) this.#counts.delete(account);
    else this.#counts.set(account, count);
  }

  get #most(): number {
    const { accountShare, reserved } = this.#limits;
    return this.free <= reserved ? 1 : Math.max(1, accountShare * this.free);
  }
}
