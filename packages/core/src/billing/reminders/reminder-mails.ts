import type { Mail } from '../../changes/mails/mail.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import { fill } from '../../kernel/texts/fill.ts';
import type { PaymentMethod } from '../../payments/payment-methods/payment-method.ts';
import { composeCustomerMail } from '../customer-mails/compose-customer-mail.ts';
import { describeMethod } from '../customer-texts/describe.ts';
import type { InvoiceMailing } from '../invoices/invoice-mail.ts';
import { nextItemsOf } from '../subscriptions/change-subscription.ts';
import { fullCost, type Subscription } from '../subscriptions/subscription.ts';
import { planOf } from '../subscriptions/subscription-mails.ts';

/** The mail about a card that expires before the next renewal. */
export function cardExpiringMail(
  subscription: Subscription,
  method: PaymentMethod,
  { addressee, settings, created }: InvoiceMailing,
): Mail {
  const { seller, day, language } = addressee;
  const { mails } = language.texts;
  const { id, period } = subscription;
  const facts = { date: day(period.end), plan: planOf(nextItemsOf(subscription)) };
  const mail = {
    dedupeKey: `card_expiring:${id}:${period.index}`,
    created,
    subject: fill(mails.cardSubject, { seller }),
    paragraphs: [
      fill(mails.card, { ...facts, method: describeMethod(method, language.texts) }),
      fill(mails.newCard, { seller }),
    ],
    facts: [],
  };
  return composeCustomerMail(mail, subscription, addressee, settings);
}

/** The mail about the next renewal. */
export function upcomingMail(
  subscription: Subscription,
  { addressee, settings, created }: InvoiceMailing,
): Mail {
  const { seller, day, language } = addressee;
  const { mails } = language.texts;
  const { id, period, currency } = subscription;
  // What renews is what the next period bills.
  const next = nextItemsOf(subscription);
  const amount = describeMoney(
    next.items.reduce((sum, item) => sum + fullCost(item), 0n),
    currency,
  );
  const date = day(period.end);
  const mail = {
    dedupeKey: `upcoming:${id}:${period.index}`,
    created,
    subject: fill(mails.upcomingSubject, { seller, date }),
    paragraphs: [fill(mails.upcoming, { plan: planOf(next), date, amount })],
    facts: [],
  };
  return composeCustomerMail(mail, subscription, addressee, settings);
}
