import type { Knex } from 'knex';
import type { Acting, Paymount } from 'paymount';
import type { WebhookEvent } from 'paymount/receiver';

/** A membership of the tea club, as its shopper sees it. */
export interface Membership {
  /** Whom the shop knows by this name; a real shop takes it from its login. */
  readonly shopper: string;
  readonly subscription: string;
  /** The status of the subscription. */
  readonly status: string;
  readonly paid_until: Date;
}

/** The shop's plan: a tea each month. */
const CLUB = {
  product_data: { name: 'Tea club' },
  currency: 'eur',
  unit_amount: 1900,
  recurring: { interval: 'month' },
  lookup_key: 'tea_club',
} as const;

/** A member whose card is tried again keeps the access. */
const WITH_ACCESS = ['trialing', 'active', 'past_due'];

type SubscriptionEvent = Extract<WebhookEvent, { readonly type: `subscription.${string}` }>;

/**
 * Writes the subscription and its membership in one transaction. The card is charged after the commit, and
 * `followSubscription` gets the result.
 */
export async function sellMembership(
  shop: { readonly database: Knex; readonly paymount: Paymount; readonly merchant: Acting },
  wish: { readonly shopper: string; readonly paymentMethod: string },
): Promise<Membership> {
  const { database, paymount, merchant } = shop;
  const { shopper, paymentMethod } = wish;
  const price = await clubPrice(paymount, merchant);
  return database.transaction(async (trx) => {
    const { customers, subscriptions } = paymount.using(trx);
    const customer = await customers.create(merchant, {
      name: shopper,
      payment_method: paymentMethod,
      invoice_settings: { default_payment_method: paymentMethod },
    });
    const { id, status, created, current_period_end } = await subscriptions.create(merchant, {
      customer: customer.id,
      items: [{ price }],
      metadata: { shopper },
    });
    const membership = { shopper, subscription: id, status, paid_until: current_period_end };
    // Any event of the subscription is newer.
    await trx('shop.memberships').insert({ ...membership, as_of: created, event: '' });
    return { ...membership, paid_until: new Date(current_period_end) };
  });
}

/**
 * Takes over what an event says about a subscription, in the transaction that records the event. Events may
 * arrive in another order: an older one changes nothing.
 */
export async function followSubscription(
  trx: Knex.Transaction,
  event: WebhookEvent,
): Promise<void> {
  if (!isOfSubscription(event)) return;
  const { id, status, metadata, current_period_end } = event.data.object;
  const shopper = metadata['shopper'];
  // Somebody else in the shop sold it.
  if (shopper === undefined) return;
  await trx('shop.memberships')
    .insert({
      shopper,
      subscription: id,
      status,
      paid_until: current_period_end,
      as_of: event.created,
      event: event.id,
    })
    .onConflict('subscription')
    .merge(['status', 'paid_until', 'as_of', 'event'])
    .whereRaw('(memberships.as_of, memberships.event) < (excluded.as_of, excluded.event)');
}

/** The newest membership of a shopper. */
export function findMembership(database: Knex, shopper: string): Promise<Membership | undefined> {
  return database<Membership>('shop.memberships')
    .where({ shopper })
    .orderBy('paid_until', 'desc')
    .first('shopper', 'subscription', 'status', 'paid_until');
}

/** Whether a member may come in. */
export function hasAccess({ status }: Pick<Membership, 'status'>): boolean {
  return WITH_ACCESS.includes(status);
}

/** The price of the club; the first sale makes it. */
async function clubPrice(paymount: Paymount, merchant: Acting): Promise<string> {
  const { data } = await paymount.prices.list(merchant, { lookup_keys: [CLUB.lookup_key] });
  return data[0]?.id ?? (await paymount.prices.create(merchant, CLUB)).id;
}

function isOfSubscription(event: WebhookEvent): event is SubscriptionEvent {
  return event.type.startsWith('subscription.');
}
