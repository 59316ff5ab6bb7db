import type { Change, Write } from '../changes/change.ts';
import type { ChangeRepository } from '../changes/change-repository.ts';
import type { Mail, WrittenMail } from '../changes/mails/mail.ts';
import type { Owner } from '../kernel/basics/environment.ts';
import type { CustomerId } from '../kernel/basics/id.ts';
import type { Logger } from '../kernel/basics/logger.ts';
import { isError } from '../kernel/errors/is-error.ts';
import {
  type AddresseeFacts,
  type AddresseeRows,
  addresseeOf,
} from './customer-mails/addressee.ts';
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
  readonly logger: Logger;
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
  { settings, plan, logger }: MailingHow,
): ChangeRepository<Of> {
  return {
    async apply(change, place) {
      const mails = await mailsOfChange(change, rows, { settings, logger });
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
  { settings, logger }: Pick<MailingHow, 'settings' | 'logger'>,
): Promise<readonly Mail[]> {
  const about = new Mailings(change, rows);
  const mails: Mail[] = [];
  const write = (facts: AddresseeFacts, compose: (mailing: InvoiceMailing) => Mail): void => {
    try {
      const addressee = addresseeOf(facts, settings);
      if (addressee) mails.push(compose({ addressee, settings, created: change.at }));
    } catch (error) {
      // Money moves and subscriptions end, also if the host has no answer to who sells, or lacks a text.
      const { customer, account } = facts;
      const err = isError(error) ? error : undefined;
      logger.error(
        { customer: customer?.id, account: account?.id, err },
        'An e-mail to a customer could not be written, so it is not sent.',
      );
    }
  };
  for (const invoice of paidInvoices(change, settings)) {
    write(await about.facts(invoice, invoice.subscriptionId), (mailing) =>
      receiptMail(invoice, mailing),
    );
  }
  for (const { row, event } of told(change, settings)) {
    if (row.status === 'canceled' && event === 'subscription.canceled') {
      const invoice = await about.lastInvoice(row);
      write(await about.facts(row, row.id), (mailing) => canceledMail(row, invoice, mailing));
    } else if (row.status === 'past_due' && event === 'subscription.payment_failed') {
      const invoice = await about.invoice(row.dunning.invoiceId);
      if (invoice === undefined) continue;
      write(await about.facts(row, row.id), (mailing) => paymentFailedMail(row, invoice, mailing));
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

  constructor(change: AnyChange, rows: CustomerMailRows) {
    this.#change = change;
    this.#rows = rows;
  }

  async facts(
    of: { readonly customerId: CustomerId },
    subscriptionId: Subscription['id'] | null,
  ): Promise<AddresseeFacts> {
    const customer = await this.#rows.customers.find(this.#owner, of.customerId);
    if (customer?.email == null) return { customer, account: undefined };
    const account = await this.#rows.payoutAccounts.find(customer.accountId);
    const zone = subscriptionId === null ? undefined : await this.#zoneOf(subscriptionId);
    return { customer, account, zone };
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
