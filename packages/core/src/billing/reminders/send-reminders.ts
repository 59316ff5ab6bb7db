import type { AreaStorage } from '../../changes/area-storage.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import { applyIn } from '../../changes/commit.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
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
import { collectingMethod } from '../subscriptions/find-subscription-method.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import type { SubscriptionReader } from '../subscriptions/subscription-repository.ts';
import { type Reminder, remindersOf } from './reminder.ts';
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

/** In one pass: accounts, and reminders of all accounts. The next pass follows at once. */
const BATCH = 100;
/** After a failure. */
const POSTPONED_MS = 10 * 60_000;

/**
 * Sends what is due in the time that everybody shares, of each account as much as of another. Of one that fails
 * the log says why, and it is due again later.
 * @returns one pass, which returns whether more may be due
 */
export function reminderPasses(
  ports: ReminderPorts,
): (isClosing: () => boolean) => Promise<boolean> {
  let from: Owner | undefined;
  return async (isClosing) => {
    const now = ports.clock.now();
    const due = await ports.queue.findDue({ now, from, limit: BATCH });
    const accounts = new Set(due.map(({ accountId, environment }) => accountId + environment));
    // Beyond so many accounts there are others, whose turn is next.
    from = accounts.size < BATCH ? undefined : due.at(-1);
    let decided = 0;
    for (const reminder of due) {
      if (isClosing()) return false;
      try {
        if (await decideReminder(ports, reminder, now)) decided += 1;
      } catch (error) {
        await postpone(ports, reminder, error);
      }
    }
    return decided > 0 || from !== undefined;
  };
}

async function postpone(
  { storage, clock, logger }: ReminderPorts,
  reminder: Reminder,
  error: unknown,
): Promise<void> {
  const { subscriptionId: subscription, accountId: account, kind } = reminder;
  logger.warn(
    { subscription, account, kind, err: isError(error) ? error : undefined },
    'A customer could not be reminded of a renewal; Paymount tries again in ten minutes.',
  );
  const now = clock.now();
  const until = new Date(now.getTime() + POSTPONED_MS);
  await storage
    .transaction((rows) => rows.reminders.postpone(reminder, until, now))
    .catch(() => undefined);
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
        await workOn(reminder.subscriptionId, () => decideReminder(ports, reminder, frozenTime));
      }
      return due.length;
    },
  };
}

/**
 * Decides on a reminder, and writes its mail, in one transaction: once, whatever it decides.
 * @param until the time by which it counts as due: of its test clock, if it is on one
 * @returns false if it is not due any more, or if another transaction has locked its subscription
 */
async function decideReminder(
  { storage, settings, clock }: ReminderPorts,
  reminder: Reminder,
  until: Date,
): Promise<boolean> {
  const { accountId, environment, subscriptionId } = reminder;
  return storage.transaction(async (rows) => {
    if (!(await rows.reminders.take(reminder, until))) return false;
    const subscription = await rows.subscriptions.find(reminder, subscriptionId);
    const planned = subscription && plannedNow(subscription, reminder, settings);
    if (planned !== undefined && planned.dueAt > until) {
      await rows.reminders.postpone(reminder, planned.dueAt);
      return true;
    }
    await rows.reminders.end(reminder);
    const account = await rows.payoutAccounts.find(accountId);
    if (subscription === undefined || planned === undefined || account?.isSuspended !== false) {
      return true;
    }
    if (!renewsAfter(subscription, until)) return true;
    const at = clock.now();
    const mail = await mailOf(rows, subscription, { kind: planned.kind, settings, created: at });
    if (mail === undefined) return true;
    const of = { accountId, environment, at, ...clockField(subscription) };
    await applyIn(rows, { ...of, writes: [], mails: [mail] });
    return true;
  });
}

/**
 * The reminder as the settings and the subscription of now have it: another process, of the previous version or
 * with other settings, may have moved the period, or planned what this one does not send.
 */
function plannedNow(
  subscription: Subscription,
  { kind, periodIndex }: Reminder,
  { sends }: CustomerMailSettings,
): Reminder | undefined {
  return remindersOf(subscription, sends).find(
    (planned) => planned.kind === kind && planned.periodIndex === periodIndex,
  );
}

async function mailOf(
  rows: Rows,
  subscription: Subscription,
  {
    kind,
    settings,
    created,
  }: {
    readonly kind: Reminder['kind'];
    readonly settings: CustomerMailSettings;
    readonly created: Date;
  },
): Promise<Mail | undefined> {
  const customer = await rows.customers.find(subscription, subscription.customerId);
  const zone = subscription.calendar.timezone;
  const account = await rows.payoutAccounts.find(subscription.accountId);
  const addressee = addresseeOf({ customer, account, zone }, settings);
  if (addressee === undefined) return undefined;
  const mailing = { addressee, settings, created };
  if (kind === 'upcoming') return upcomingMail(subscription, mailing);
  return mailOfCard(rows, subscription, { customer, mailing });
}

/** Whether it renews at the end of its period, which is yet to come. */
function renewsAfter(
  { cancelAt, cancelAtPeriodEnd, period, pauseCollection }: Subscription,
  now: Date,
): boolean {
  const ends = cancelAtPeriodEnd || (cancelAt !== null && cancelAt <= period.end);
  return period.end > now && !ends && pauseCollection === null;
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
  const method = await collectingMethod(rows, subscription, customer);
  if (method?.type !== 'card') return undefined;
  // A card is valid until its last month ends.
  const { expYear, expMonth } = method.card;
  const isValid = Date.UTC(expYear, expMonth, 1) > subscription.period.end.getTime();
  return isValid ? undefined : cardExpiringMail(subscription, method, mailing);
}
