import type { Owner } from '../../kernel/basics/environment.ts';
import type { SubscriptionId } from '../../kernel/basics/id.ts';
import type { Clocked } from '../../payments/test-clocks/object-clock.ts';
import type { CustomerEmails } from '../customer-mails/customer-mail-settings.ts';
import type { Subscription } from '../subscriptions/subscription.ts';

/** What a customer is reminded of before a renewal. */
export type ReminderKind = 'card_expiring' | 'upcoming';

/** A look at a subscription before its renewal: of each kind one for a period. */
export interface Reminder extends Owner {
  readonly subscriptionId: SubscriptionId;
  readonly kind: ReminderKind;
  readonly periodIndex: number;
  readonly dueAt: Date;
}

/** With the test clock of the subscription. */
export type PlannedReminder = Reminder & Clocked;

const DAY_MS = 86_400_000;
/** Time enough to get a new card from a bank. */
const CARD_DAYS = 30;

/** Whether any customer is reminded of anything. */
export function remindsCustomers({ sends }: { readonly sends: CustomerEmails }): boolean {
  return sends.cardExpiring === true || sends.upcomingDays !== undefined;
}

/**
 * When a customer is reminded of the renewal at the end of the current period. A period that is shorter than
 * the days before it has no reminder of the renewal; of the card, at its beginning.
 */
export function remindersOf(
  subscription: Subscription,
  { cardExpiring, upcomingDays }: CustomerEmails,
): readonly PlannedReminder[] {
  const { status, accountId, environment, id, period, clock } = subscription;
  if (status !== 'active' && status !== 'trialing') return [];
  const of = { accountId, environment, subscriptionId: id, periodIndex: period.index };
  const planned = (kind: ReminderKind, dueAt: Date): PlannedReminder => ({
    ...of,
    kind,
    dueAt,
    ...(clock && { clock }),
  });
  const before = (days: number): Date => new Date(period.end.getTime() - days * DAY_MS);
  const [forCard, forRenewal] = [before(CARD_DAYS), before(upcomingDays ?? 0)];
  return [
    ...(cardExpiring === true
      ? [planned('card_expiring', new Date(Math.max(forCard.getTime(), period.start.getTime())))]
      : []),
    ...(upcomingDays !== undefined && forRenewal > period.start
      ? [planned('upcoming', forRenewal)]
      : []),
  ];
}
