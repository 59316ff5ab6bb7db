import { newId } from '@paymount/core/kernel';
import type { BillingDecision } from '../../../../packages/core/src/billing/subscriptions/billing-decision.ts';
import {
  changeSubscription,
  type SubscriptionChange,
} from '../../../../packages/core/src/billing/subscriptions/change-subscription.ts';
import { invoicePaid } from '../../../../packages/core/src/billing/subscriptions/collect-subscription.ts';
import {
  createSubscription,
  type NewSubscription,
} from '../../../../packages/core/src/billing/subscriptions/create-subscription.ts';
import { renewSubscription } from '../../../../packages/core/src/billing/subscriptions/renew-subscription.ts';
import type {
  BillingPeriod,
  NextItem,
  ProrationBehavior,
  Subscription,
} from '../../../../packages/core/src/billing/subscriptions/subscription.ts';

/** Items by a letter of their own: the product, minor units, and the quantity if it is not 1. */
export type Plan = Readonly<
  Record<string, readonly [string, number] | readonly [string, number, number]>
>;

/** What a subscription begins with. Absent: a month of Basic at 30.00 eur, now. */
export interface Start {
  readonly at?: string;
  readonly plan?: Plan;
  readonly currency?: string;
  readonly interval?: NewSubscription['interval'];
  readonly count?: number;
  readonly zone?: string;
  readonly trialEnd?: string;
  readonly anchor?: string;
  readonly backdatedTo?: string;
  readonly behavior?: ProrationBehavior;
  readonly cancelAt?: string;
  readonly method?: NewSubscription['collectionMethod'];
  readonly trialEndBehavior?: NewSubscription['trialEndBehavior'];
}

/** A change at a time. Absent: the items stay, and it is prorated at the next invoice. */
export interface Change {
  readonly at: string;
  readonly plan?: Plan;
  readonly interval?: NewSubscription['interval'];
  readonly count?: number;
  readonly behavior?: ProrationBehavior;
  readonly date?: string;
  readonly trialEnd?: string;
  readonly isAnchoredNow?: true;
  readonly isAtPeriodEnd?: true;
  readonly dropsPending?: true;
}

const OWNER = { accountId: newId('acct'), environment: 'test' } as const;
const prices = new Map<string, NextItem['priceId']>();
const items = new Map<string, NextItem['id']>();

const BASIC: Plan = { a: ['Basic', 3_000] };
export const INVOICE = newId('in');
const CREATED = new Date('2030-01-01T00:00:00Z');

/** One price for each product and amount, and one item for each letter. */
export function itemsOf(plan: Plan): readonly NextItem[] {
  return Object.entries(plan).map(([letter, [name, unitAmount, quantity = 1]]) => ({
    id: made(items, letter, () => newId('si')),
    priceId: made(prices, `${name} ${unitAmount}`, () => newId('price')),
    name,
    unitAmount,
    quantity,
    created: CREATED,
    metadata: {},
  }));
}

/** What `createSubscription` takes. */
function toNew(start: Start): NewSubscription {
  const { trialEnd, anchor, backdatedTo, cancelAt } = start;
  return {
    ...OWNER,
    id: newId('sub'),
    customerId: newId('cus'),
    currency: start.currency ?? 'eur',
    items: itemsOf(start.plan ?? BASIC),
    interval: start.interval ?? 'month',
    intervalCount: start.count ?? 1,
    timezone: start.zone ?? 'UTC',
    trialEnd: toDate(trialEnd),
    anchor: toDate(anchor),
    backdatedTo: toDate(backdatedTo),
    prorationBehavior: start.behavior ?? 'create_prorations',
    cancelAt: toDate(cancelAt),
    cancelAtPeriodEnd: false,
    collectionMethod: start.method ?? 'charge_automatically',
    daysUntilDue: null,
    defaultPaymentMethodId: null,
    description: null,
    metadata: {},
    trialEndBehavior: start.trialEndBehavior ?? 'create_invoice',
  };
}

export function create(start: Start): BillingDecision {
  const at = new Date(start.at ?? '2030-04-01T00:00:00Z');
  return createSubscription(toNew(start), { at, invoiceId: INVOICE });
}

/** A subscription whose first invoice is paid. */
export function begin(start: Start = {}): Subscription {
  const { subscription } = create(start);
  return subscription.status === 'incomplete' ? pay(subscription, 0) : subscription;
}

/** The subscription after the invoice of a period was paid. */
export function pay(subscription: Subscription, periodIndex: number | null): Subscription {
  const paid = invoicePaid(subscription, { id: INVOICE, periodIndex }, subscription.period.start);
  if (paid === null) throw new Error('The subscription is over.');
  return paid.subscription;
}

export function change(subscription: Subscription, step: Change): BillingDecision {
  return changeSubscription(subscription, toChange(subscription, step), {
    at: new Date(step.at),
    invoiceId: INVOICE,
  });
}

/** What `changeSubscription` takes. */
export function toChange({ calendar }: Subscription, step: Change): SubscriptionChange {
  const { plan, interval, count, behavior, date, trialEnd } = step;
  const next = {
    interval: interval ?? calendar.interval,
    intervalCount: count ?? (interval === undefined ? calendar.intervalCount : 1),
  };
  return {
    prorationBehavior: behavior ?? 'create_prorations',
    ...(plan !== undefined && { items: { items: itemsOf(plan), ...next } }),
    ...(date !== undefined && { prorationDate: new Date(date) }),
    ...(trialEnd !== undefined && { trialEnd: trialEnd === 'now' ? 'now' : new Date(trialEnd) }),
    ...(step.isAnchoredNow && { isAnchoredNow: true }),
    ...(step.isAtPeriodEnd && { isAtPeriodEnd: true }),
    ...(step.dropsPending && { dropsPending: true }),
  };
}

/** The next period, of which the invoice is paid. @throws Error if none is due */
export function renew(subscription: Subscription, at = subscription.period.end): BillingDecision {
  const renewal = renewSubscription(subscription, { at, invoiceId: INVOICE, canPay: true });
  if (renewal === null) throw new Error('No renewal is due.');
  return renewal;
}

/** Lines as a table shows them: `-1500 Unused time on Basic after 16 Apr 2030`. */
export function linesOf({ lines }: Pick<BillingDecision, 'lines'>): readonly string[] {
  return lines.map(({ amount, description }) => `${amount} ${description}`);
}

/** The rows of periods after a decision. */
export function withPeriods(
  periods: readonly BillingPeriod[],
  { newPeriods, movedEnd }: BillingDecision,
): readonly BillingPeriod[] {
  const last = periods.length - 1;
  return [
    ...periods.map((each, at) =>
      at === last && movedEnd?.index === each.index ? { ...each, end: movedEnd.end } : each,
    ),
    ...newPeriods,
  ];
}

function toDate(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}

function made<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
