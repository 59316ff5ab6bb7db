import {
  describeAddress,
  describeDay,
  describeMethod,
  describeSpan,
  type InvoiceTexts,
  type IssuedInvoice,
  invoiceNumberText,
} from '@paymount/core/billing';
import { describeMoney, fill, type Language } from '@paymount/core/kernel';
import type { Charge } from '@paymount/core/payments';

/** What a document is drawn from. */
export interface InvoiceFacts {
  readonly invoice: IssuedInvoice;
  /** Who issues it: a name, and lines such as an address. */
  readonly seller: { readonly name: string; readonly details: readonly string[] };
  /** The zone of its dates, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /** The charge of the newest attempt. */
  readonly charge: Charge | undefined;
  /** Business time, to know whether it is overdue. */
  readonly now: Date;
}

/** The two papers: what is to be paid, and that it was paid. */
export type Paper = 'invoice' | 'receipt';

/** The content of a page or a PDF, in one language and without its form. */
export interface InvoiceDocument {
  readonly paper: Paper;
  readonly language: string;
  readonly title: string;
  /** `INV-000001`. */
  readonly number: string;
  /** When it was issued. */
  readonly issuedAt: Date;
  /** Said in test mode. */
  readonly badge?: string;
  /** Whether it is to be paid, or was paid. */
  readonly state: string;
  readonly parties: readonly Party[];
  readonly facts: readonly Fact[];
  readonly description?: string;
  readonly columns: {
    readonly description: string;
    readonly quantity: string;
    readonly amount: string;
  };
  readonly lines: readonly DocumentLine[];
  readonly sums: readonly Sum[];
  readonly footer?: string;
  /** With `{number}`, for papers of several pages. */
  readonly pageLabel: string;
}

interface Fact {
  readonly label: string;
  readonly value: string;
}
interface Sum extends Fact {
  /** Whether it is what counts. */
  readonly isStrong?: true;
}
interface Party {
  readonly label: string;
  readonly lines: readonly string[];
}
interface DocumentLine {
  readonly description: string;
  /** The time that it is for. */
  readonly period: string;
  readonly quantity: string;
  readonly amount: string;
}

/** What a paper about an invoice says. @param paper a receipt only of a paid one */
export function toInvoiceDocument(
  facts: InvoiceFacts,
  paper: Paper,
  { language, texts }: Language<InvoiceTexts>,
): InvoiceDocument {
  const { invoice, timeZone } = facts;
  const { issue, description, footer, currency } = invoice;
  const day = (time: Date): string => describeDay(time, language, timeZone);
  const customer = customerLines(facts, language);
  const { labels } = texts;
  return {
    paper,
    language,
    title: texts.titles[paper],
    number: invoiceNumberText(issue.number),
    issuedAt: issue.finalizedAt,
    ...(invoice.environment === 'test' && { badge: texts.testMode }),
    state: stateOf(facts, texts, day),
    parties: [
      { label: labels.from, lines: [facts.seller.name, ...facts.seller.details] },
      ...(customer.length === 0 ? [] : [{ label: labels.billedTo, lines: customer }]),
    ],
    facts: factsOf(facts, texts, day),
    ...(description !== null && { description }),
    columns: {
      description: labels.description,
      quantity: labels.quantity,
      amount: labels.amount,
    },
    lines: invoice.lines.map((line) => ({
      description: line.description,
      period: describeSpan(new Date(line.period.start), new Date(line.period.end), {
        day,
        span: texts.span,
      }),
      quantity: String(line.quantity),
      amount: describeMoney(line.amount, currency),
    })),
    sums: sumsOf(facts, texts),
    ...(footer !== null && { footer }),
    pageLabel: labels.page,
  };
}

type Day = (time: Date) => string;

/** The copy that was made when it was issued; what was expunged of it is left out. */
function customerLines({ invoice }: InvoiceFacts, language: string): readonly string[] {
  const { name, email, address } = invoice.issue.issuedTo;
  return [name ?? '', ...describeAddress(address ?? null, language), email ?? ''].filter(
    (line) => line !== '',
  );
}

function factsOf({ invoice, charge }: InvoiceFacts, texts: InvoiceTexts, day: Day): Fact[] {
  const { labels, methods } = texts;
  const { issue, dueDate, periodStart, periodEnd, subscriptionId } = invoice;
  const facts: Fact[] = [
    { label: labels.number, value: invoiceNumberText(issue.number) },
    { label: labels.issued, value: day(issue.finalizedAt) },
  ];
  if (dueDate !== null) facts.push({ label: labels.due, value: day(dueDate) });
  if (subscriptionId !== null) {
    const value = describeSpan(periodStart, periodEnd, { day, span: texts.span });
    facts.push({ label: labels.period, value });
  }
  if (invoice.status !== 'paid') return facts;
  facts.push({ label: labels.paid, value: day(invoice.paidAt) });
  if (invoice.isPaidOutOfBand) facts.push({ label: labels.paidWith, value: methods.elsewhere });
  else if (charge?.status === 'succeeded') {
    facts.push({ label: labels.paidWith, value: describeMethod(charge.method, texts) });
  }
  return facts;
}

function stateOf({ invoice, now }: InvoiceFacts, { states }: InvoiceTexts, day: Day): string {
  const amount = describeMoney(invoice.issue.amountDue, invoice.currency);
  switch (invoice.status) {
    case 'open': {
      const { dueDate } = invoice;
      if (dueDate === null) return fill(states.open, { amount });
      const text = now.getTime() > dueDate.getTime() ? states.overdue : states.dueOn;
      return fill(text, { amount, date: day(dueDate) });
    }
    case 'paid': {
      if (invoice.issue.amountDue === 0) return states.nothingDue;
      const text = invoice.isPaidOutOfBand ? states.paidElsewhere : states.paid;
      return fill(text, { date: day(invoice.paidAt) });
    }
    case 'void':
      return states.void;
    case 'uncollectible':
      return states.uncollectible;
  }
}

/** The lines have no taxes, so the subtotal is the total. */
function sumsOf({ invoice, charge }: InvoiceFacts, { labels }: InvoiceTexts): Sum[] {
  const { currency, total, issue, status } = invoice;
  const sum = (label: string, amount: number): Sum => ({
    label,
    value: describeMoney(amount, currency),
  });
  const fromBalance = issue.amountDue - total;
  const sums = [sum(labels.subtotal, total), sum(labels.total, total)];
  if (total < 0 && fromBalance > 0) sums.push(sum(labels.credited, fromBalance));
  else if (fromBalance < 0) sums.push(sum(labels.creditUsed, fromBalance));
  else if (fromBalance > 0) sums.push(sum(labels.owedBefore, fromBalance));
  if (status === 'void') return sums;
  if (status !== 'paid')
    return [...sums, { ...sum(labels.amountDue, issue.amountDue), isStrong: true }];
  sums.push({ ...sum(labels.amountPaid, issue.amountDue), isStrong: true });
  const refunded = charge?.status === 'succeeded' ? charge.amountRefunded : 0;
  if (refunded > 0) sums.push(sum(labels.refunded, refunded));
  return sums;
}
