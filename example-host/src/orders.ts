import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Acting, Charge, HookPayload, Paymount } from 'paymount';

/** An order, as the shop's customers see it. It always agrees with its charge. */
export interface Order {
  readonly id: string;
  readonly item: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly status: 'pending' | 'paid' | 'failed' | 'refunded';
  readonly charge: string;
}

/** The shop's prices in cents: the browser sends the item, never the price. */
const PRICES = { mug: 1800, teapot: 4200 } as const;
const CURRENCY = 'eur';
const COLUMNS = ['id', 'item', 'amount', 'currency', 'status', 'charge'];

export type Item = keyof typeof PRICES;

/** Whether the shop sells this. */
export function isItem(name: unknown): name is Item {
  return typeof name === 'string' && Object.hasOwn(PRICES, name);
}

/**
 * Writes the order and the intent of its charge in one transaction: both exist, or neither. The
 * card is charged after the commit, and `settleOrder` gets the result.
 */
export function placeOrder(
  shop: { readonly database: Knex; readonly paymount: Paymount; readonly merchant: Acting },
  wish: { readonly item: Item; readonly paymentMethod: string },
): Promise<Order> {
  const { item, paymentMethod } = wish;
  const id = `order_${randomUUID()}`;
  const price = { amount: PRICES[item], currency: CURRENCY };
  return shop.database.transaction(async (trx) => {
    const charge = await shop.paymount.using(trx).charges.create(shop.merchant, {
      ...price,
      payment_method: paymentMethod,
      description: `One ${item}`,
      metadata: { order: id },
    });
    const order: Order = { id, item, ...price, status: 'pending', charge: charge.id };
    await trx('shop.orders').insert(order);
    return order;
  });
}

/**
 * The hook: runs inside the transaction that records a result, so the order changes with its charge
 * or not at all. Charges made without an order change no row, and payouts and invoices have
 * no order.
 */
export async function settleOrder(trx: Knex.Transaction, settled: HookPayload): Promise<void> {
  if (!('charge' in settled)) return;
  const status = statusOf(settled.charge);
  if (status === undefined) return;
  await trx('shop.orders').where({ charge: settled.charge.id }).update({ status });
}

export async function findOrder(database: Knex, id: string): Promise<Order | undefined> {
  return database<Order>('shop.orders').where({ id }).first(COLUMNS);
}

/** Whatever was settled, the charge alone decides: a refunded order stays so when its charge is disputed. */
function statusOf(charge: Charge): Order['status'] | undefined {
  if (charge.status === 'succeeded') return charge.refunded ? 'refunded' : 'paid';
  if (charge.status === 'failed' || charge.status === 'canceled') return 'failed';
  return undefined;
}
