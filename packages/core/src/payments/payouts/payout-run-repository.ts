import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import type { AccountId, PayoutId } from '../../kernel/basics/id.ts';
import type { PayoutRun } from './payout-run.ts';

export interface PayoutRunReader {
  /** All of an account, in both environments, in order of environment and currency. */
  listOf(accountId: AccountId): Promise<readonly PayoutRun[]>;
}

/** Bound to one transaction. Storage adds a run with the first ledger of a currency, due at once. */
export interface PayoutRunRepository extends PayoutRunReader {
  /**
   * Locks the next run that is due, after `after` in the order of due time, account, environment and
   * currency. Runs that others have locked are skipped, so that two workers never get the same one.
   */
  takeDue(now: Date, after?: PayoutRun): Promise<PayoutRun | undefined>;
  /** Writes a run that `takeDue` has locked. */
  save(run: PayoutRun): Promise<void>;
  /**
   * Marks up to `limit` available balance transactions of a run that are in no payout yet, oldest
   * first, as part of a payout. Charges after `before` stay unmarked.
   * @returns how many, and the sum of their net amounts
   */
  collect(
    run: Owner & Pick<PayoutRun, 'currency'>,
    part: { readonly payoutId: PayoutId; readonly before: Date; readonly limit: number },
  ): Promise<{ readonly count: number; readonly net: bigint }>;
  /** Makes runs of an account due at once. @param only one environment and currency */
  wake(
    accountId: AccountId,
    now: Date,
    only?: { readonly environment: Environment; readonly currency: string },
  ): Promise<void>;
}
