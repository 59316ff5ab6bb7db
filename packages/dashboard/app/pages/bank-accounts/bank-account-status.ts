import type { BankAccount } from '../../api/resources.ts';

/** Whether payouts there still wait. */
export function isHeld({ payouts_held_until: until }: BankAccount): boolean {
  return until !== null && Date.parse(until) > Date.now();
}

/** The status that a badge shows. */
export function statusOf(account: BankAccount): string {
  if (account.status === 'errored') return 'errored';
  return isHeld(account) ? 'held' : 'active';
}
