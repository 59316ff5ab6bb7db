import type { AreaStorage } from '../../changes/area-storage.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import { applyIn } from '../../changes/commit.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import type { Customer } from '../../payments/customers/customer.ts';
import type { PaymentMethodReader } from '../../payments/payment-methods/payment-method-repository.ts';
import type { ClockWork } from '../../payments/test-clocks/clock-work.ts';
import { clockField } from '../../payments/test-clocks/object-clock.ts';
import { workOn } from '../../payments/test-clocks/work-on.ts';
import { type AddresseeRows, addresseeOf } from '../customer-mails/addressee.ts';
import type { CustomerMailSettings } from '../customer-mails/customer-mail-settings.ts';
import type { InvoiceChange } from '../invoices/invoice-storage.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import type { SubscriptionReader } from '../subscriptions/subscription-repository.ts';
import type { Reminder } from './reminder.ts';
import { cardExpiringMail, upcomingMail } from './reminder-mails.ts';
import type { ReminderQueue, ReminderRepository } from './reminder-repository.ts';

interface Rows extends AddresseeRows {
  readonly reminders: ReminderRepository;
  readonly subscriptions: Pick<SubscriptionReader, 'find'>;
  readonly paymentMethods: Pick<PaymentMethodReader, 'find'>;
  readonly changes: ChangeRepository<InvoiceChange>;
}

export interface ReminderPorts {
  readonly queue: ReminderQueue;
  readonly storage: Pick<AreaStorage<unknown, Rows>, 'transaction'>;
  readonly settings: CustomerMailSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** In one pass; the next follows at once. */
const BATCH = 100;

/**
 * Sends what is due in the time that everybody shares. One that fails is due again in the next pass.
 * @returns whether more may be due
 */
export async function sendReminders(
  ports: ReminderPorts,
  isClosing: () => boolean,
): Promise<boolean> {
  const now = ports.clock.now();
  const due = await ports.queue.findDue(now, BATCH);
  let sent = 0;
  for (const reminder of due) {
    if (isClosing()) return false;
    try {
      await sendReminder(ports, reminder, now);
      sent += 1;
    } catch (error) {
      const { subscriptionId: subscription, accountId: account, kind } = reminder;
      const err = isError(error) ? error : undefined;
      const facts = { subscription, account, kind, err };
      ports.logger.warn(
        facts,
        'A customer could not be reminded of a renewal; Paymount tries again.',
      );
    }
  }
  return sent === BATCH;
}

/** The same on test clocks. */
export function reminderClockWork(ports: ReminderPorts): ClockWork {
  const { queue } = ports;
  return {
    task: 'write to the customer of subscription',
    byHand: 'cancel the subscription',
    async nextDue({ id }, until) {
      const [next] = await queue.findDueOn(id, until, 1);
      return next && { due: next.dueAt, object: next.subscriptionId };
    },
    async run({ id, frozenTime }) {
      const due = await queue.findDueOn(id, frozenTime, BATCH);
      for (const reminder of due) {
        await workOn(reminder.subscriptionId, () => sendReminder(ports, reminder, frozenTime));
      }
      return due.length;
    },
  };
}

/** Decides on a reminder, and writes its mail, in one transaction: once, whatever it decides. */
async function sendReminder(
  { storage, settings, clock }: ReminderPorts,
  reminder: Reminder,
  until: Date,
): Promise<void> {
  const { accountId, environment, subscriptionId, periodIndex } = reminder;
  await storage.transaction(async (rows) => {
    if (!(await rows.reminders.take(reminder, until))) return;
    const subscription = await rows.subscriptions.find(reminder, subscriptionId);
    if (subscription?.period.index !== periodIndex || !renews(subscription)) return;
    const at = clock.now();
    const customer = await rows.customers.find(reminder, subscription.customerId);
    const zone = subscription.calendar.timezone;
    const addressee = await addresseeOf(rows, customer, settings, zone);
    if (addressee === undefined) return;
    const mailing = { addressee, settings, created: at };
    const mail =
      reminder.kind === 'upcoming'
        ? upcomingMail(subscription, mailing)
        : await mailOfCard(rows, subscription, { customer, mailing });
    if (mail === undefined) return;
    const of = { accountId, environment, at, ...clockField(subscription) };
    await applyIn(rows, { ...of, writes: [], mails: [mail] });
  });
}

/** Whether it is charged at the end of its period. */
function renews({
  status,
  cancelAt,
  cancelAtPeriodEnd,
  period,
  pauseCollection,
}: Subscription): boolean {
  const isLive = status === 'active' || status === 'trialing';
  const ends = cancelAtPeriodEnd || (cancelAt !== null && cancelAt <= period.end);
  return isLive && !ends && pauseCollection === null;
}

/** @returns undefined if no card is charged, or one that lasts until the renewal */
async function mailOfCard(
  rows: Pick<Rows, 'paymentMethods'>,
  subscription: Subscription,
  {
    customer,
    mailing,
  }: {
    readonly customer: Customer | undefined;
    readonly mailing: Parameters<typeof upcomingMail>[1];
  },
): Promise<Mail | undefined> {
  if (subscription.collectionMethod !== 'charge_automatically') return undefined;
  const id = subscription.defaultPaymentMethodId ?? customer?.defaultPaymentMethodId ?? null;
  const method = id === null ? undefined : await rows.paymentMethods.find(subscription, id);
  if (method?.type !== 'card') return undefined;
  // A card is valid until its last month ends, wherever that is last.
  const { expYear, expMonth } = method.card;
  const isValid = Date.UTC(expYear, expMonth, 1) > subscription.period.end.getTime();
  return isValid ? undefined : cardExpiringMail(subscription, method, mailing);
}
