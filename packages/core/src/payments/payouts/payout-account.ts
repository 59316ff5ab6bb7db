import type { AccountId } from '../../kernel/basics/id.ts';
import type { PayoutSchedule } from './payout-schedule.ts';

/** What payouts need to know of an account, and what its owner may see of it. */
export interface PayoutAccount {
  readonly id: AccountId;
  readonly name: string;
  /** The address for notices. */
  readonly email: string | null;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
  /** ISO 4217, lower case. */
  readonly defaultCurrency: string;
  readonly isSuspended: boolean;
  /** False: the operator stopped its payouts. */
  readonly payoutsEnabled: boolean;
  /** Whether payouts to a new or changed destination wait for a day; only an admin turns it off. */
  readonly holdsDestinations: boolean;
  readonly schedule: PayoutSchedule;
  readonly created: Date;
}

/** Why no payout of an account is made or sent now. */
export type AccountStop = 'account_suspended' | 'payouts_disabled';

/** @returns undefined if the operator lets the account pay out */
export function findAccountStop({
  isSuspended,
  payoutsEnabled,
}: PayoutAccount): AccountStop | undefined {
  if (isSuspended) return 'account_suspended';
  return payoutsEnabled ? undefined : 'payouts_disabled';
}
