import type { Environment } from '../../kernel/basics/environment.ts';
import type { BankAccount } from './bank-account.ts';

const DAY_MS = 86_400_000;

/**
 * Until when no payout goes to a bank account that is new, or that has become the default: somebody
 * who has stolen a key must not redirect payouts before the owner has read the e-mail about it. Test
 * moves no money, so nothing is held there.
 * @returns null if it is not held
 */
export function holdFrom(
  at: Date,
  environment: Environment,
  { holdsDestinations }: { readonly holdsDestinations: boolean },
): Date | null {
  return environment === 'live' && holdsDestinations ? new Date(at.getTime() + DAY_MS) : null;
}

/**
 * The time before which no payout may be sent to a bank account.
 * @param account undefined: its settings are not known, so they count as the default
 * @returns undefined if payouts may be sent now
 */
export function heldUntil(
  { heldUntil: until }: Pick<BankAccount, 'heldUntil'>,
  account: { readonly holdsDestinations: boolean } | undefined,
  at: Date,
): Date | undefined {
  const isHeld = until !== null && until > at && account?.holdsDestinations !== false;
  return isHeld ? until : undefined;
}
