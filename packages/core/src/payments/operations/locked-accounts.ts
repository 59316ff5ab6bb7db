import type { Clock } from '../../kernel/basics/clock.ts';
import type { AccountId } from '../../kernel/basics/id.ts';
import { isNobody } from '../../kernel/basics/nobody.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';

/** Longer than what has waited for the same lock takes to give up. */
const KEPT_MS = 10_000;

/** Takes locks for background work. */
export interface AccountLocks {
  /**
   * Takes a lock of a row of an account.
   * @throws PaymountError `lock_timeout`, at once if a lock of the account was not available before
   */
  take<Result>(account: AccountId, lock: () => Promise<Result>): Promise<Result>;
}

/** Waits for every lock: of requests, and of work that must not be left for later. */
export const PATIENT_LOCKS: AccountLocks = { take: (_, lock) => lock() };

/**
 * Accounts of which a row was locked for so long that background work gave up, such as by a transaction
 * that a host has left open. What else is due of them is left for later: each would wait as long, and
 * whatever is due of other accounts would wait behind it.
 */
export class LockedAccounts implements AccountLocks {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #untilMs = new Map<AccountId, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  async take<Result>(account: AccountId, lock: () => Promise<Result>): Promise<Result> {
    if (this.has(account)) throw new PaymountError('lock_timeout');
    try {
      return await lock();
    } catch (error) {
      this.note(account, error);
      throw error;
    }
  }

  /** Notes the account if that is what the error says. Changes of no account wait for locks of any. */
  note(account: AccountId, error: unknown): void {
    if (isNobody(account)) return;
    if (!PaymountError.is(error) || error.code !== 'lock_timeout') return;
    this.#untilMs.set(account, this.#clock.monotonicMs() + KEPT_MS);
  }

  has(account: AccountId): boolean {
    const untilMs = this.#untilMs.get(account);
    if (untilMs === undefined) return false;
    if (this.#clock.monotonicMs() < untilMs) return true;
    this.#untilMs.delete(account);
    return false;
  }
}
