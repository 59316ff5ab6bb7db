import type { BankAccountStatus } from './bank-account.ts';

// new:     payouts may go there; no payout there has failed
// errored: a payout there was rejected or returned; no payout goes there any more, and payouts in its
//          currency stop until another bank account is the default, or an admin restores this one
// deleted: its number is gone; only its id, last four digits and times are left for old payouts

export type BankAccountTrigger = 'payout_failed' | 'restored' | 'deleted';

export interface BankAccountTransition {
  readonly from: readonly BankAccountStatus[];
  readonly to: BankAccountStatus;
}

/** All transitions of a bank account; none records an event or posts to the ledger. */
export const BANK_ACCOUNT_TRANSITIONS: Readonly<Record<BankAccountTrigger, BankAccountTransition>> =
  {
    payout_failed: { from: ['new'], to: 'errored' },
    restored: { from: ['errored'], to: 'new' },
    deleted: { from: ['new', 'errored'], to: 'deleted' },
  };
