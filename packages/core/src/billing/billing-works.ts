import type { TestClockId } from '../kernel/basics/id.ts';
import { PaymountError } from '../kernel/errors/paymount-error.ts';
import type { OperationRunner } from '../payments/operations/operation-runner.ts';
import type { ClockWork } from '../payments/test-clocks/clock-work.ts';
import { workOn } from '../payments/test-clocks/work-on.ts';
import type { DueWork } from './billing-scheduler.ts';
import { advanceInvoice, type InvoiceAdvancePorts } from './invoices/advance-invoice.ts';
import { concludeMissed, type MissedPorts } from './invoices/conclude-missed.ts';
import type { DueInvoice, InvoiceQueue } from './invoices/invoice-repository.ts';
import type { ReminderQueue } from './reminders/reminder-repository.ts';
import { type AdvancePorts, advanceSubscription } from './subscriptions/advance-subscription.ts';
import { SUBSCRIPTION_OWNERS } from './subscriptions/subscription-owner.ts';
import type {
  DueSubscription,
  SubscriptionQueue,
} from './subscriptions/subscription-repository.ts';
import type { SubscriptionRepositories } from './subscriptions/subscription-storage.ts';

/** What becomes due in billing. */
export interface BillingQueues {
  readonly subscriptions: SubscriptionQueue;
  readonly invoices: InvoiceQueue;
  readonly reminders: ReminderQueue;
}

type Ports = AdvancePorts &
  Pick<MissedPorts, 'logger'> &
  Omit<InvoiceAdvancePorts<SubscriptionRepositories>, 'storage' | 'invoiceOwners'>;

/** What becomes due in billing, and what does it. */
export interface BillingWorks {
  /** Lets invoices know of results that the previous version recorded. */
  readonly concludeMissed: (isClosing: () => boolean) => Promise<void>;
  readonly subscriptions: DueWork<DueSubscription>;
  readonly invoices: DueWork<DueInvoice>;
}

/** The work of billing in the time that everybody shares. */
export function billingWorks(queues: BillingQueues, ports: Ports): BillingWorks {
  const owned = { ...ports, invoiceOwners: SUBSCRIPTION_OWNERS };
  const { subscriptions, invoices } = queues;
  const missed = { ...owned, queue: invoices };
  return {
    concludeMissed: (isClosing) => concludeMissed<SubscriptionRepositories>(missed, isClosing),
    subscriptions: {
      noun: 'subscription',
      findDue: (asked) => subscriptions.findDue(asked),
      advance: (due, until) => advanceSubscription(ports, due, until),
      postpone: (...of) => subscriptions.postpone(...of),
      failingOf: (due) => subscriptions.failingOf(due),
    },
    invoices: {
      noun: 'invoice',
      findDue: (asked) => invoices.findDue(asked),
      advance: (due, until) => advanceInvoice<SubscriptionRepositories>(owned, due, until),
      postpone: (...of) => invoices.postpone(...of),
      failingOf: (due) => invoices.failingOf(due),
    },
  };
}

/** In one step of a test clock, of what is due at one moment. Their charges are sent at once. */
const STEP = 32;
/** Transactions at once. They are of one account, so more would only wait for the numbers of its invoices. */
const LANES = 4;
/** While another transaction has locked what one needs, a fifth of a second each. */
const LOCK_TRIES = 5;

/** The same on test clocks: each at its time, and together what is due at the same time. */
export function billingClockWorks(
  queues: BillingQueues,
  works: BillingWorks,
  runner: Pick<OperationRunner, 'start'>,
): readonly ClockWork[] {
  return [
    clockWork(queues.subscriptions, works.subscriptions, {
      runner,
      task: 'bill subscription',
      byHand: 'cancel the subscription',
    }),
    clockWork(queues.invoices, works.invoices, {
      runner,
      task: 'collect invoice',
      byHand: 'void the invoice',
    }),
  ];
}

function clockWork<Of extends DueSubscription | DueInvoice>(
  queue: { findDueOn(clock: TestClockId, until: Date, limit: number): Promise<readonly Of[]> },
  work: DueWork<Of>,
  how: {
    readonly runner: Pick<OperationRunner, 'start'>;
    readonly task: string;
    readonly byHand: string;
  },
): ClockWork {
  const { runner, task, byHand } = how;
  return {
    task,
    byHand,
    async nextDue({ id }, until) {
      const [due] = await queue.findDueOn(id, until, 1);
      return due && { due: due.nextActionAt, object: due.id };
    },
    async run({ id, frozenTime }) {
      const due = await queue.findDueOn(id, frozenTime, STEP);
      const left = [...due];
      const failures: unknown[] = [];
      const sent: Promise<void>[] = [];
      const guarded = (object: string, task: () => Promise<unknown>): Promise<void> =>
        workOn(object, task).then(
          () => undefined,
          (failure: unknown) => void failures.push(failure),
        );
      const advance = async (next: Of): Promise<void> => {
        const toSend = await withLockTries(() => work.advance(next, frozenTime));
        if (toSend === undefined) return;
        const { operation, subject } = toSend;
        sent.push(guarded(next.id, () => runner.start(operation, subject)));
      };
      const lane = async (): Promise<void> => {
        for (let next = left.shift(); next; next = left.shift()) {
          const due = next;
          await guarded(due.id, () => advance(due));
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      await Promise.all(sent);
      // All of them end before the clock goes on, also when one fails.
      if (failures.length > 0) throw failures[0];
      return due.length;
    },
  };
}

/** The clock stands meanwhile, and nothing else of it would be done before. */
async function withLockTries<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isLocked = PaymountError.is(error) && error.code === 'lock_timeout';
      if (!isLocked || tries === LOCK_TRIES) throw error;
    }
  }
}
