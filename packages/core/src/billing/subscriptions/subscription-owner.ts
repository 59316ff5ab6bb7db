import type { Event } from '../../changes/events/event.ts';
import { buildEvent } from '../../changes/events/event-resource.ts';
import type { EventType } from '../../changes/events/event-types.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import {
  type Invoice,
  markedUncollectible,
  type PayableInvoice,
  voided,
  withRefundDue,
} from '../invoices/invoice.ts';
import type {
  Followed,
  InvoiceEffects,
  InvoiceOwner,
  InvoiceOwners,
} from '../invoices/invoice-owner.ts';
import type { PriceReader } from '../prices/price-repository.ts';
import { type BillingDecision, NOTHING_BILLED } from './billing-decision.ts';
import {
  chargeSent,
  collectionFailed,
  debitSubmitted,
  invoicePaid,
  invoiceVoided,
} from './collect-subscription.ts';
import { type PricesById, pricesOf, toSubscriptionResource } from './render-subscription.ts';
import type { Subscription } from './subscription.ts';
import type { SubscriptionReader, SubscriptionRepository } from './subscription-repository.ts';
import type { SubscriptionJson } from './subscription-resource.ts';
import type { PeriodFacts } from './subscription-storage.ts';

/** What becomes of a subscription that was not paid until the end. */
export const EXHAUSTED = 'cancel';

interface Read {
  readonly subscriptions: SubscriptionReader;
  readonly prices: PriceReader;
}
interface Rows extends Read {
  readonly subscriptions: SubscriptionRepository;
}

/** Subscriptions as the owners of their invoices. */
export const SUBSCRIPTION_OWNERS: InvoiceOwners<Read, Rows> = {
  async load(read, of) {
    return ownerFor(read, await read.subscriptions.find(of, of.subscriptionId));
  },
  async hold(rows, of) {
    return ownerFor(rows, await rows.subscriptions.findForUpdate(of, of.subscriptionId));
  },
};

async function ownerFor(
  read: Pick<Read, 'prices'>,
  subscription: Subscription | undefined,
): Promise<InvoiceOwner> {
  if (subscription === undefined) throw new Error('An invoice has lost its subscription.');
  return new SubscriptionOwner(subscription, await pricesOf(read, [subscription]));
}

/** A subscription that gets to know what becomes of one of its invoices. */
class SubscriptionOwner implements InvoiceOwner {
  readonly #subscription: Subscription;
  readonly #prices: PricesById;

  constructor(subscription: Subscription, prices: PricesById) {
    this.#subscription = subscription;
    this.#prices = prices;
  }

  get isCharging(): boolean {
    return this.#subscription.chargingInvoiceId !== null;
  }

  get resource(): object {
    return toSubscriptionResource(this.#subscription, this.#prices);
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
    if (decision !== null) return this.#followed(invoice, decision, at);
    const settled = invoice.isAbandoned ? withRefundDue(invoice, now) : invoice;
    return { invoice: settled, effects: { writes: [] } };
  }

  failed(
    invoice: Invoice,
    { failure, isScheduled }: Parameters<InvoiceOwner['failed']>[1],
    at: Date,
  ): Followed {
    const now = timeOf(this.#subscription, at);
    const decision = collectionFailed(this.#subscription, {
      invoice: invoiceOfPeriod(invoice),
      failure,
      isScheduled,
      exhausted: EXHAUSTED,
      at: now,
    });
    return this.#followed(afterFailure(invoice, this.#subscription, decision, now), decision, at);
  }

  voided(invoice: Invoice, at: Date): Followed {
    return this.#followed(invoice, voidedDecision(this.#subscription, invoice, at), at);
  }

  #followed(invoice: Invoice, decision: BillingDecision, at: Date): Followed {
    const before = this.#subscription;
    const { effects, resource } = effectsOf(before, decision, { prices: this.#prices, at });
    return { invoice, effects, owner: resource };
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
  { prices, at }: { readonly prices: PricesById; readonly at: Date },
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
        decision.event === null ? [] : [eventOf(row, decision.event, { object: resource, at })],
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

function eventOf(
  row: Subscription,
  type: EventType,
  { object, at }: { readonly object: SubscriptionJson; readonly at: Date },
): Event {
  const { accountId, environment } = row;
  return buildEvent({
    owner: { accountId, environment },
    type,
    object,
    objectVersion: row.version,
    at: timeOf(row, at),
    source: 'scheduler',
    testClockId: row.clock?.id,
  });
}
