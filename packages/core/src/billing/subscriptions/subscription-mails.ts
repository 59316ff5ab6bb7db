import type { Mail } from '../../changes/mails/mail.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import { fill } from '../../kernel/texts/fill.ts';
import type { Addressee } from '../customer-mails/addressee.ts';
import { composeCustomerMail } from '../customer-mails/compose-customer-mail.ts';
import type { IssuedInvoice } from '../invoices/invoice.ts';
import type { InvoiceMailing } from '../invoices/invoice-mail.ts';
import { invoiceNumberText } from '../invoices/invoice-resource.ts';
import type { DeclineClass } from './decline-class.ts';
import type { Dunning, NextItem, Subscription } from './subscription.ts';

/** One that is not paid, and is tried again. */
type PastDue = Extract<Subscription, { status: 'past_due' }>;
type Canceled = Extract<Subscription, { status: 'canceled' }>;

/** What a customer can do is the same for these: the payer does not learn why an issuer forbids attempts. */
const ASKS_FOR_ANOTHER: ReadonlySet<DeclineClass> = new Set(['customer', 'never']);

/**
 * The mail about a payment that failed, once for each period. It never says why: the issuer may forbid that,
 * and what helps is the same.
 */
export function paymentFailedMail(
  subscription: PastDue,
  invoice: IssuedInvoice,
  { addressee, settings, created }: InvoiceMailing,
): Mail {
  const { seller, language } = addressee;
  const { mails, labels, links } = language.texts;
  const amount = describeMoney(invoice.issue.amountDue, invoice.currency);
  const mail = {
    dedupeKey: `payment_failed:${subscription.id}:${invoice.id}`,
    created,
    subject: fill(mails.failedSubject, { seller }),
    paragraphs: [fill(mails.failed, { amount, seller }), cureOf(subscription.dunning, addressee)],
    facts: [
      { label: labels.number, value: invoiceNumberText(invoice.issue.number) },
      { label: labels.amountDue, value: amount },
    ],
    link: { invoice: invoice.id, label: links.invoice },
  };
  return composeCustomerMail(mail, subscription, addressee, settings);
}

function cureOf(
  { declineClass, nextAttemptAt }: Dunning,
  { seller, language: { texts }, day }: Addressee,
): string {
  const isTriedAgain = nextAttemptAt !== null && !ASKS_FOR_ANOTHER.has(declineClass);
  return isTriedAgain
    ? fill(texts.mails.triedAgain, { date: day(nextAttemptAt), seller })
    : fill(texts.mails.otherMethod, { seller });
}

/** The mail about a subscription that has ended. @param invoice its last one, if that was issued */
export function canceledMail(
  subscription: Canceled,
  invoice: IssuedInvoice | undefined,
  { addressee, settings, created }: InvoiceMailing,
): Mail {
  const { seller, language, day } = addressee;
  const { mails } = language.texts;
  const { id, endedAt } = subscription;
  const mail = {
    dedupeKey: `subscription_canceled:${id}`,
    created,
    subject: fill(mails.canceledSubject, { seller }),
    paragraphs: [fill(mails.canceled, { plan: planOf(subscription), date: day(endedAt) })],
    facts: [],
    ...(invoice && { link: { invoice: invoice.id, label: language.texts.links.invoice } }),
  };
  return composeCustomerMail(mail, subscription, addressee, settings);
}

/** What is sold, by name. */
export function planOf({ items }: { readonly items: readonly NextItem[] }): string {
  return items
    .map(({ name, quantity }) => (quantity === 1 ? name : `${quantity} × ${name}`))
    .join(', ');
}
