import type { Change, Write } from '../changes/change.ts';
import type { ChangeRepository } from '../changes/change-repository.ts';
import type { Mail, WrittenMail } from '../changes/mails/mail.ts';
import type { Owner } from '../kernel/basics/environment.ts';
import type { CustomerId } from '../kernel/basics/id.ts';
import { type AddresseeRows, addresseeOf } from './customer-mails/addressee.ts';
import type { CustomerMailSettings } from './customer-mails/customer-mail-settings.ts';
import type { IssuedInvoice } from './invoices/invoice.ts';
import { type InvoiceMailing, receiptMail } from './invoices/invoice-mail.ts';
import type { InvoiceReader } from './invoices/invoice-repository.ts';
import { invoiceResults } from './invoices/invoice-result.ts';
import { isInvoiceWrite } from './invoices/invoice-storage.ts';
import { type PlannedReminder, remindersOf, remindsCustomers } from './reminders/reminder.ts';
import type { Subscription } from './subscriptions/subscription.ts';
import { canceledMail, paymentFailedMail } from './subscriptions/subscription-mails.ts';
import type { SubscriptionReader } from './subscriptions/subscription-repository.ts';
import { subscriptionResults } from './subscriptions/subscription-result.ts';

type AnyChange = Change<Write<string, unknown>>;

/** What is read to write a mail, in the transaction of the change. */
export interface CustomerMailRows extends AddresseeRows {
  readonly invoices: Pick<InvoiceReader, 'find'>;
  readonly subscriptions: Pick<SubscriptionReader, 'find'>;
}

/** How customers are written to. */
export interface MailingHow {
  readonly settings: CustomerMailSettings;
  /** Plans reminders in the transaction of the change. @defaultValue nothing */
  readonly plan?: (reminders: readonly PlannedReminder[]) => Promise<void>;
}

/** Whether a change begins or moves a period, of whose end the customer is reminded. */
export function plansReminders(change: AnyChange, { sends }: CustomerMailSettings): boolean {
  return remindsCustomers({ sends }) && change.writes.some(isSubscriptionWrite);
}

function remindersIn(
  change: AnyChange,
  settings: CustomerMailSettings,
): readonly PlannedReminder[] {
  if (!plansReminders(change, settings)) return [];
  return change.writes
    .filter(isSubscriptionWrite)
    .flatMap(({ row }) => remindersOf(row, settings.sends));
}

/**
 * The same changes, with the e-mails that customers get about them. They are computed from the rows and events,
 * so that nothing is paid, fails or ends without its mail.
 */
export function mailingChanges<Of extends AnyChange>(
  changes: ChangeRepository<Of>,
  rows: CustomerMailRows,
  { settings, plan }: MailingHow,
): ChangeRepository<Of> {
  return {
    async apply(change, place) {
      const mails = await mailsOfChange(change, rows, settings);
      const all: readonly WrittenMail[] = [...(change.mails ?? []), ...mails];
      const whole = mails.length === 0 ? change : { ...change, mails: all };
      const applied = await changes.apply(whole, place);
      if (applied === 'applied') await plan?.(remindersIn(change, settings));
      return applied;
    },
  };
}

async function mailsOfChange(
  change: AnyChange,
  rows: CustomerMailRows,
  settings: CustomerMailSettings,
): Promise<readonly Mail[]> {
  const about = new Mailings(change, rows, settings);
  const mails: Mail[] = [];
  for (const invoice of paidInvoices(change, settings)) {
    const mailing = await about.mailing(invoice, invoice.subscriptionId);
    if (mailing) mails.push(receiptMail(invoice, mailing));
  }
  for (const { row, event } of told(change, settings)) {
    const mailing = await about.mailing(row, row.id);
    if (mailing === undefined) continue;
    if (row.status === 'canceled' && event === 'subscription.canceled') {
      mails.push(canceledMail(row, await about.lastInvoice(row), mailing));
    } else if (row.status === 'past_due' && event === 'subscription.payment_failed') {
      const invoice = await about.invoice(row.dunning.invoiceId);
      if (invoice) mails.push(paymentFailedMail(row, invoice, mailing));
    }
  }
  return mails;
}

/** Those of which the customer gets a receipt: what asks for nothing has none. */
function paidInvoices(
  change: AnyChange,
  { sends }: CustomerMailSettings,
): readonly IssuedInvoice[] {
  if (sends.receipt !== true) return [];
  return invoiceResults(change)
    .filter(({ event, invoice }) => event === 'paid' && invoice.issue.amountDue > 0)
    .map(({ invoice }) => invoice)
    .filter(({ isAbandoned }) => !isAbandoned);
}

/** The subscriptions of which the customer gets to know. */
function told(change: AnyChange, { sends }: CustomerMailSettings) {
  const wanted = [
    ...(sends.paymentFailed === true ? ['subscription.payment_failed'] : []),
    ...(sends.canceled === true ? ['subscription.canceled'] : []),
  ];
  if (wanted.length === 0) return [];
  return subscriptionResults(change)
    .filter(({ event }) => wanted.includes(event))
    .flatMap(({ event, subscription: { id } }) => {
      const row = change.writes
        .filter(isSubscriptionWrite)
        .find((write) => write.row.id === id)?.row;
      return row === undefined ? [] : [{ row, event }];
    });
}

function isSubscriptionWrite(
  write: Write<string, unknown>,
): write is Write<'subscription', Subscription> {
  return write.kind === 'subscription';
}

/** Reads what a mail needs; what the change writes counts before what is stored. */
class Mailings {
  readonly #change: AnyChange;
  readonly #rows: CustomerMailRows;
  readonly #settings: CustomerMailSettings;

  constructor(change: AnyChange, rows: CustomerMailRows, settings: CustomerMailSettings) {
    this.#change = change;
    this.#rows = rows;
    this.#settings = settings;
  }

  /** @returns undefined for a customer without an e-mail address */
  async mailing(
    of: { readonly customerId: CustomerId },
    subscriptionId: Subscription['id'] | null,
  ): Promise<InvoiceMailing | undefined> {
    const customer = await this.#rows.customers.find(this.#owner, of.customerId);
    const zone = subscriptionId === null ? undefined : await this.#zoneOf(subscriptionId);
    const addressee = await addresseeOf(this.#rows, customer, this.#settings, zone);
    return addressee && { addressee, settings: this.#settings, created: this.#change.at };
  }

  async invoice(id: IssuedInvoice['id']): Promise<IssuedInvoice | undefined> {
    const written = this.#change.writes.filter(isInvoiceWrite).find(({ row }) => row.id === id);
    const invoice = written?.row ?? (await this.#rows.invoices.find(this.#owner, id));
    return invoice && 'issue' in invoice ? invoice : undefined;
  }

  /** The latest of a subscription, unless it is a draft, or the change deletes it, or nobody owes it. */
  async lastInvoice({ latestInvoiceId }: Subscription): Promise<IssuedInvoice | undefined> {
    if (latestInvoiceId === null) return undefined;
    const invoice = await this.invoice(latestInvoiceId);
    return invoice?.status === 'void' ? undefined : invoice;
  }

  async #zoneOf(id: Subscription['id']): Promise<string | undefined> {
    const written = this.#change.writes
      .filter(isSubscriptionWrite)
      .find(({ row }) => row.id === id);
    const subscription = written?.row ?? (await this.#rows.subscriptions.find(this.#owner, id));
    return subscription?.calendar.timezone;
  }

  get #owner(): Owner {
    const { accountId, environment } = this.#change;
    return { accountId, environment };
  }
}
