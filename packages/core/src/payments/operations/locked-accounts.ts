import { isReported } from '../../changes/hook-log.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { AccountId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { isNobody } from '../../kernel/basics/nobody.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';

/** Longer than what has waited for the same lock takes to give up. */
const KEPT_MS = 10_000;
/** Of work that goes through all that is due once a minute: until the next pass, however long this one takes. */
export const KEPT_FOR_PASS_MS = 30_000;
const FORGOTTEN_AFTER_MS = 60 * 60_000;
/** The account that was locked least recently is forgotten; it is logged again if it is locked again. */
const MAX_ACCOUNTS = 10_000;

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

interface LockedAccountsPorts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** How long an account is left alone, in milliseconds. @defaultValue 10,000 */
  readonly keptMs?: number;
}

interface Locked {
  readonly untilMs: number;
  /** How often a lock was not available, with less than an hour between two times. */
  readonly times: number;
}

/**
 * Accounts of which a row was locked for so long that background work gave up, such as by a transaction
 * that a host has left open. What else is due of them is left for later: each would wait as long, and
 * whatever is due of other accounts would wait behind it. It logs the account instead of all that waits
 * for it: the first, second, fourth time and so on, and finally every 256th.
 */
export class LockedAccounts implements AccountLocks {
  readonly #ports: LockedAccountsPorts;
  /** In the order of the last time. */
  readonly #locked = new Map<AccountId, Locked>();
  readonly #noted = new WeakSet<PaymountError>();

  constructor(ports: LockedAccountsPorts) {
    this.#ports = ports;
  }

  async take<Result>(account: AccountId, lock: () => Promise<Result>): Promise<Result> {
    if (this.has(account)) {
      const error = new PaymountError('lock_timeout');
      this.#noted.add(error);
      throw error;
    }
    try {
      return await lock();
    } catch (error) {
      this.note(account, error);
      throw error;
    }
  }

  /**
   * Notes and logs the account if that is what the error says. Changes of no account wait for locks of any.
   * @returns whether it is, so that it needs no other line in the log
   */
  note(account: AccountId, error: unknown): boolean {
    if (isNobody(account)) return false;
    if (!PaymountError.is(error) || error.code !== 'lock_timeout') return false;
    // Several may have waited at the same time.
    const isKnown = this.#noted.has(error) || this.has(account);
    this.#noted.add(error);
    if (isKnown) return true;
    const times = this.#count(account);
    if (isReported(times)) {
      this.#ports.logger.warn(
        { account, times, err: error },
        'Another transaction has locked rows of an account for too long; what is due of it is tried again.',
      );
    }
    return true;
  }

  /** @returns how often it was locked */
  #count(account: AccountId): number {
    const { clock, keptMs = KEPT_MS } = this.#ports;
    const nowMs = clock.monotonicMs();
    const before = this.#locked.get(account);
    const isForgotten = before === undefined || nowMs > before.untilMs + FORGOTTEN_AFTER_MS;
    const times = isForgotten ? 1 : before.times + 1;
    this.#locked.delete(account);
    const [oldest] = this.#locked.keys();
    if (oldest !== undefined && this.#locked.size >= MAX_ACCOUNTS) this.#locked.delete(oldest);
    this.#locked.set(account, { untilMs: nowMs + keptMs, times });
    return times;
  }

  /** Whether an error that `take` threw was noted, so that it needs no other line in the log. */
  isNoted(error: unknown): boolean {
    return PaymountError.is(error) && this.#noted.has(error);
  }

  has(account: AccountId): boolean {
    const locked = this.#locked.get(account);
    return locked !== undefined && this.#ports.clock.monotonicMs() < locked.untilMs;
  }
}
