import type { Mail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import { fill } from '../../kernel/texts/fill.ts';
import type { Addressee } from '../customer-mails/addressee.ts';
import { composeCustomerMail } from '../customer-mails/compose-customer-mail.ts';
import type { CustomerMailSettings } from '../customer-mails/customer-mail-settings.ts';
import type { IssuedInvoice } from './invoice.ts';
import { invoiceNumberText } from './invoice-resource.ts';

/** What a mail about an invoice needs besides the invoice. */
export interface InvoiceMailing {
  readonly addressee: Addressee;
  readonly settings: CustomerMailSettings;
  /** In the time that everybody shares. */
  readonly created: Date;
}

/** How the keys of the mails begin with which a merchant sends an invoice. */
export const sentByHand = (id: IssuedInvoice['id']): string => `invoice:${id}:`;

/** The mail with which a merchant sends an invoice. It may be sent again, so each is another one. */
export function invoiceMail(
  invoice: IssuedInvoice,
  { addressee, settings, created }: InvoiceMailing,
): Mail {
  const { seller, day, language } = addressee;
  const { mails, labels, links } = language.texts;
  const { id, dueDate, currency, issue } = invoice;
  const amount = describeMoney(issue.amountDue, currency);
  const number = invoiceNumberText(issue.number);
  const isAsked = invoice.status === 'open' && dueDate !== null;
  const mail = {
    dedupeKey: `${sentByHand(id)}${newId('mail')}`,
    created,
    subject: fill(mails.invoiceSubject, { number, seller }),
    paragraphs: [
      fill(mails.invoice, { seller, number }),
      ...(isAsked ? [fill(mails.pay, { amount, date: day(dueDate) })] : []),
    ],
    facts: [
      { label: labels.number, value: number },
      { label: labels.issued, value: day(issue.finalizedAt) },
      ...(dueDate === null ? [] : [{ label: labels.due, value: day(dueDate) }]),
      { label: isAsked ? labels.amountDue : labels.total, value: amount },
    ],
    ...noteOf(invoice),
    link: { invoice: id, label: links.invoice },
  };
  return composeCustomerMail(mail, invoice, addressee, settings);
}

/** The receipt of a paid invoice, once. */
export function receiptMail(
  invoice: IssuedInvoice,
  { addressee, settings, created }: InvoiceMailing,
): Mail {
  const { seller, day, language } = addressee;
  const { mails, labels, links } = language.texts;
  const { id, currency, issue } = invoice;
  const amount = describeMoney(issue.amountDue, currency);
  const mail = {
    dedupeKey: `receipt:${id}`,
    created,
    subject: fill(mails.receiptSubject, { seller }),
    paragraphs: [fill(mails.receipt, { seller, amount })],
    facts: [
      { label: labels.number, value: invoiceNumberText(issue.number) },
      ...(invoice.status === 'paid' ? [{ label: labels.paid, value: day(invoice.paidAt) }] : []),
      { label: labels.amountPaid, value: amount },
    ],
    link: { invoice: id, label: links.receipt, path: '/receipt' as const },
  };
  return composeCustomerMail(mail, invoice, addressee, settings);
}

/** What the merchant wrote on the invoice. */
function noteOf({ description, footer }: IssuedInvoice): { readonly note?: string } {
  const notes = [description, footer].filter((note) => note !== null);
  return notes.length === 0 ? {} : { note: notes.join('\n') };
}
