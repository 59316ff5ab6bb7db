import type { EventCause } from '../../changes/events/event-cause.ts';
import type { PaymentMethodId } from '../../kernel/basics/id.ts';
import type { ChargeReader } from '../../payments/charges/charge-repository.ts';
import type { CustomerReader } from '../../payments/customers/customer-repository.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import type { BillingSettingsReader } from '../billing-settings/billing-settings-repository.ts';
import {
  type Invoice,
  markedUncollectible,
  type PayableInvoice,
  voided,
  withRefundDue,
} from '../invoices/invoice.ts';
import type {
  FailedAttempt,
  Followed,
  InvoiceEffects,
  InvoiceOwner,
  InvoiceOwners,
  OwningSubscription,
} from '../invoices/invoice-owner.ts';
import type { InvoiceReader } from '../invoices/invoice-repository.ts';
import { invoiceUpdate } from '../invoices/invoice-storage.ts';
import type { PriceReader } from '../prices/price-repository.ts';
import { type BillingDecision, edited, NOTHING_BILLED } from './billing-decision.ts';
import {
  chargeSent,
  collectedNext,
  collectionFailed,
  debitSubmitted,
  type Exhausted,
  invoicePaid,
  invoiceVoided,
  retriedNow,
} from './collect-subscription.ts';
import { type PricesById, pricesOf, toSubscriptionResource } from './render-subscription.ts';
import type { Subscription } from './subscription.ts';
import { answerFor } from './subscription-answer.ts';
import { subscriptionEvent } from './subscription-event.ts';
import type { SubscriptionReader, SubscriptionRepository } from './subscription-repository.ts';
import type { SubscriptionJson } from './subscription-resource.ts';
import type { PeriodFacts } from './subscription-storage.ts';

/** As many open invoices are looked at together. */
const MAX_UNPAID = 100;

interface Read {
  readonly subscriptions: SubscriptionReader;
  readonly prices: PriceReader;
  readonly customers: CustomerReader;
  readonly invoices: InvoiceReader;
  readonly charges: ChargeReader;
  readonly billingSettings: BillingSettingsReader;
}
interface Rows extends Read {
  readonly subscriptions: SubscriptionRepository;
}

/** Subscriptions as the owners of their invoices. */
export const SUBSCRIPTION_OWNERS: InvoiceOwners<Read, Rows> = {
  async load(read, of) {
    return ownerFor(read, of, await read.subscriptions.find(of, of.subscriptionId));
  },
  async hold(rows, of) {
    return ownerFor(rows, of, await rows.subscriptions.findForUpdate(of, of.subscriptionId));
  },
};

async function ownerFor(
  read: Omit<Read, 'subscriptions'>,
  { cause }: OwningSubscription,
  subscription: Subscription | undefined,
): Promise<InvoiceOwner> {
  if (subscription === undefined) throw new Error('An invoice has lost its subscription.');
  const customer = await read.customers.find(subscription, subscription.customerId);
  return new SubscriptionOwner(subscription, {
    cause,
    prices: await pricesOf(read, [subscription]),
    customerMethod: customer?.defaultPaymentMethodId ?? null,
    unpaid: 'dunning' in subscription ? await unpaidOf(read, subscription) : [],
    exhausted: await exhaustedOf(read, subscription),
  });
}

/**
 * What the account does with a subscription that was not paid until the last day. Only of one that is not
 * paid the end may come.
 */
export async function exhaustedOf(
  { billingSettings }: { readonly billingSettings: BillingSettingsReader },
  { accountId, status }: Subscription,
): Promise<Exhausted> {
  if (status !== 'past_due') return 'cancel';
  return (await billingSettings.find(accountId))?.afterLastAttempt ?? 'cancel';
}

/** The open invoices that nobody is charging just now, the oldest first. */
async function unpaidOf(
  { invoices, charges }: Pick<Read, 'invoices' | 'charges'>,
  subscription: Subscription,
): Promise<readonly PayableInvoice[]> {
  const { accountId, environment, id: subscriptionId } = subscription;
  const owner = { accountId, environment };
  const filter = { subscriptionId, status: 'open' } as const;
  const { data } = await invoices.list(owner, filter, { limit: MAX_UNPAID });
  const open = data.flatMap((each) => (each.status === 'open' ? [each] : [])).toReversed();
  const ids = open.flatMap(({ chargeId }) => chargeId ?? []);
  const pending = (await charges.findMany(owner, ids)).filter(({ status }) => status === 'pending');
  return open.filter(({ chargeId }) => pending.every(({ id }) => id !== chargeId));
}

/** What a subscription must know of others to decide. */
interface OwnerFacts {
  readonly cause: EventCause;
  readonly prices: PricesById;
  readonly customerMethod: PaymentMethodId | null;
  /** Its open invoices that nobody is charging; only of one that is not paid. */
  readonly unpaid: readonly PayableInvoice[];
  readonly exhausted: Exhausted;
}

/** A subscription that gets to know the outcome of one of its invoices. */
class SubscriptionOwner implements InvoiceOwner {
  readonly #subscription: Subscription;
  readonly #facts: OwnerFacts;

  constructor(subscription: Subscription, facts: OwnerFacts) {
    this.#subscription = subscription;
    this.#facts = facts;
  }

  get isOver(): boolean {
    return isOver(this.#subscription);
  }

  get timeZone(): string {
    return this.#subscription.calendar.timezone;
  }

  get defaultPaymentMethodId(): PaymentMethodId | null {
    return this.#subscription.defaultPaymentMethodId;
  }

  get isCharging(): boolean {
    return this.#subscription.chargingInvoiceId !== null;
  }

  answer(answers: string): object {
    return answerFor(toSubscriptionResource(this.#subscription, this.#facts.prices), answers);
  }

  charging(invoice: Invoice, at: Date): Followed {
    return this.#followed(invoice, unmoved(chargeSent(this.#subscription, invoice.id)), at);
  }

  debited(invoice: Invoice, at: Date): Followed {
    return this.#followed(invoice, debitSubmitted(this.#subscription, invoice.id), at);
  }

  /** Of a subscription that has ended, a worker gives the money back. */
  paid(invoice: Invoice, at: Date): Followed {
    const now = timeOf(this.#subscription, at);
    const decision = invoicePaid(this.#subscription, invoiceOfPeriod(invoice), now);
    if (decision !== null) return this.#followed(invoice, this.#goOn(decision, invoice, now), at);
    const settled = invoice.isAbandoned ? withRefundDue(invoice, now) : invoice;
    return this.#followed(
      settled,
      unmoved(edited(this.#subscription, { chargingInvoiceId: null })),
      at,
    );
  }

  failed(invoice: Invoice, { failure, isScheduled, methodId }: FailedAttempt, at: Date): Followed {
    const now = timeOf(this.#subscription, at);
    const failed = collectionFailed(this.#subscription, {
      invoice: invoiceOfPeriod(invoice),
      failure,
      isScheduled,
      exhausted: this.#facts.exhausted,
      at: now,
    });
    const isChosen = !isScheduled || invoice.defaultPaymentMethodId !== null;
    const decision = isChosen ? failed : this.#withOtherMethod(failed, methodId, now);
    const followed = this.#followed(
      afterFailure(invoice, this.#subscription, decision, now),
      decision,
      at,
    );
    const isGivenUp = this.#subscription.status === 'past_due' && isExhausted(decision);
    return isGivenUp ? this.#giveUpOthers(followed, invoice, now) : followed;
  }

  /** Another invoice that is not paid is collected next: the subscription is not recovered before that. */
  #goOn(decision: BillingDecision, invoice: Invoice, at: Date): BillingDecision {
    const before = this.#subscription;
    const next = this.#facts.unpaid.find(({ id }) => id !== invoice.id);
    if (next === undefined || !('dunning' in before)) return decision;
    if (decision.subscription.status !== 'active') return decision;
    return { ...decision, ...collectedNext(decision.subscription, before.dunning, next.id, at) };
  }

  /** Collection has ended for all of them. */
  #giveUpOthers(followed: Followed, invoice: Invoice, at: Date): Followed {
    const others = this.#facts.unpaid.filter(({ id }) => id !== invoice.id);
    const writes = others.map((each) => invoiceUpdate(each, markedUncollectible(each, at)));
    const { effects } = followed;
    return { ...followed, effects: { ...effects, writes: [...effects.writes, ...writes] } };
  }

  /** The customer may have named another payment method while the one before was tried. */
  #withOtherMethod(
    decision: BillingDecision,
    tried: FailedAttempt['methodId'],
    at: Date,
  ): BillingDecision {
    const { subscription } = decision;
    const method = subscription.defaultPaymentMethodId ?? this.#facts.customerMethod;
    if (tried === null || method === null || method === tried) return decision;
    return { ...decision, subscription: retriedNow(subscription, at) };
  }

  voided(invoice: Invoice, at: Date): Followed {
    return this.#followed(invoice, voidedDecision(this.#subscription, invoice, at), at);
  }

  #followed(invoice: Invoice, decision: BillingDecision, at: Date): Followed {
    const before = this.#subscription;
    const { prices, cause } = this.#facts;
    const { effects, resource } = effectsOf(before, decision, { prices, at, cause });
    return { invoice, effects, answer: (answers) => answerFor(resource, answers) };
  }
}

/** What an invoice bills, as the rules know it. */
export function invoiceOfPeriod({ id, periodIndex }: Invoice): {
  readonly id: Invoice['id'];
  readonly periodIndex: number | null;
} {
  return { id, periodIndex };
}

/** What follows from an invoice that became void. */
export function voidedDecision(
  subscription: Subscription,
  { id, lines }: Invoice,
  at: Date,
): BillingDecision {
  const current = subscription.period.start.toISOString();
  const itemIds = lines.flatMap(({ subscriptionItemId: item, period }) =>
    item !== null && period.end > current ? [item] : [],
  );
  return invoiceVoided(subscription, { id, itemIds, at: timeOf(subscription, at) });
}

/** A decision that changes only facts of the subscription. */
export function unmoved(subscription: Subscription): BillingDecision {
  return { ...NOTHING_BILLED, subscription, event: null };
}

/** An attempt that ended collection leaves the invoice uncollectible; of an end before it, void. */
export function afterFailure(
  invoice: Invoice,
  before: Subscription,
  { subscription: after }: BillingDecision,
  at: Date,
): Invoice {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') return invoice;
  const payable: PayableInvoice = invoice;
  if (isOver(before)) return invoice.isAbandoned ? voided(payable, at) : invoice;
  const isGivenUp = after.status === 'canceled' || after.status === 'unpaid';
  return isGivenUp && before.status === 'past_due' ? markedUncollectible(payable, at) : invoice;
}

/** Whether a decision ended collection. */
function isExhausted({ subscription: { status } }: BillingDecision): boolean {
  return status === 'canceled' || status === 'unpaid';
}

/** Whether a subscription has ended for good. */
export function isOver({ status }: Subscription): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

/**
 * The rows and the event of a decision.
 * @param before as it was read; the decision may be of several steps, and is one version
 */
export function effectsOf(
  before: Subscription | undefined,
  decision: Pick<BillingDecision, 'subscription' | 'event' | 'newPeriods' | 'movedEnd'>,
  {
    prices,
    at,
    cause,
  }: { readonly prices: PricesById; readonly at: Date; readonly cause: EventCause },
): {
  readonly effects: InvoiceEffects & PeriodFacts;
  readonly resource: SubscriptionJson;
} {
  const row: Subscription = {
    ...decision.subscription,
    nextActionAt: keptAwake(before, decision.subscription),
    version: before === undefined ? 1 : before.version + 1,
  };
  const resource = toSubscriptionResource(row, prices);
  const { newPeriods, movedEnd } = decision;
  return {
    resource,
    effects: {
      writes: [{ kind: 'subscription', mode: before === undefined ? 'insert' : 'update', row }],
      events:
        decision.event === null
          ? []
          : [subscriptionEvent(row, decision.event, { prices, at, cause })],
      ...(newPeriods.length > 0 && { newPeriods }),
      ...(movedEnd !== null && { movedEnd: { subscriptionId: row.id, ...movedEnd } }),
    },
  };
}

/**
 * A worker must look at a subscription whose customer was changed. That is due from its creation on, and stays
 * so when somebody else changes the subscription before.
 * @param before what the worker decides on has nothing due
 */
function keptAwake(
  before: Subscription | undefined,
  { nextActionAt, created }: Subscription,
): Date | null {
  const isWoken = before?.nextActionAt != null && before.nextActionAt <= created;
  return isWoken && nextActionAt !== null ? before.nextActionAt : nextActionAt;
}
