import { callApiOk, requireText } from './api-client.ts';
import { eventually } from './eventually.ts';
import type { Setup } from './setup.ts';
import { check, type Memory, type Order, type Step } from './step.ts';

const DELIVERY_LIMIT_MS = 5_000;
const SETTLE_LIMIT_MS = 5_000;

/** A charge, its delivery and a refund; then the same with the host's own bank. */
export const paymentSteps: readonly Step[] = [
  { tries: 'a charge with a key made at run time', run: firstCharge },
  { tries: 'an order and its charge in one transaction', run: placeOrder },
  { tries: 'the delivery of its event', run: deliverEvent },
  { tries: 'a refund', run: refundOrder },
  { tries: 'a charge in live', run: chargeLive },
];

async function firstCharge({ environments: { test } }: Setup): Promise<string> {
  const charge = await callApiOk(test, test.secretKey, '/v1/charges', {
    amount: '1800',
    currency: 'usd',
    payment_method: 'pm_card_visa',
  });
  check(charge['status'] === 'succeeded', `The charge is ${String(charge['status'])}.`);
  return `A test key made at run time charged 18.00 usd: ${requireText(charge, 'id')} succeeded`;
}

async function placeOrder(setup: Setup, memory: Memory): Promise<string> {
  const response = await fetch(`${setup.shopUrl}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ item: 'teapot', payment_method: 'pm_card_mastercard' }),
  });
  const placed: unknown = await response.json();
  check(response.status === 202 && isOrder(placed), `The shop answered ${response.status}.`);
  memory.order = placed;
  const { status } = await eventually('the order to be paid', SETTLE_LIMIT_MS, () =>
    orderWith(setup, placed.id, 'paid'),
  );
  const { test } = setup.environments;
  const charge = await callApiOk(test, test.secretKey, `/v1/charges/${placed.charge}`);
  check(charge['status'] === 'succeeded', 'The order disagrees with its charge.');
  return `An order and the intent of its charge committed together; both are ${status} by one more commit`;
}

async function deliverEvent(setup: Setup, memory: Memory): Promise<string> {
  const { charge } = requireOrder(memory);
  const found = await eventually('charge.succeeded at the shop', DELIVERY_LIMIT_MS, async () => {
    const { rows }: { rows: Record<string, unknown>[] } = await setup.database.raw(
      `SELECT e.id, extract(epoch FROM r.received_at - e.recorded_at) * 1000 AS ms
         FROM shop.received_events r JOIN paymount.events e ON e.id = r.id
        WHERE e.object_id = ? AND e.type = 'charge.succeeded'`,
      [charge],
    );
    return rows[0];
  });
  const ms = Number(found['ms']).toFixed(0);
  return `Its event ${String(found['id'])} was delivered, verified and stored, ${ms} ms after the charge's commit`;
}

async function refundOrder(setup: Setup, memory: Memory): Promise<string> {
  const { id, charge } = requireOrder(memory);
  const { test } = setup.environments;
  const refund = await callApiOk(test, test.secretKey, '/v1/refunds', { charge });
  check(refund['status'] === 'succeeded', `The refund is ${String(refund['status'])}.`);
  await eventually('the order to be refunded', SETTLE_LIMIT_MS, () =>
    orderWith(setup, id, 'refunded'),
  );
  const { rows }: { rows: Record<string, unknown>[] } = await setup.database.raw(
    `SELECT count(*)::int AS entries, sum(e.amount)::int AS sum,
            (sum(e.amount) FILTER (WHERE a.code = 'pending'))::int AS owed
       FROM paymount.ledger_transaction t
       JOIN paymount.ledger_entry e ON (e.account_id, e.livemode, e.transaction_id) =
            (t.account_id, t.livemode, t.id)
       JOIN paymount.ledger_account a ON a.id = e.ledger_account_id
      WHERE t.account_id = ? AND NOT t.livemode AND t.source_id = ANY (?)`,
    [setup.merchant.account, [charge, requireText(refund, 'id')]],
  );
  const { entries, sum, owed } = rows[0] ?? {};
  check(entries === 4 && sum === 0 && owed === 0, `The ledger says ${JSON.stringify(rows[0])}.`);
  return `The order was refunded: its 4 ledger entries sum to 0, and nothing of it is owed`;
}

async function chargeLive({ environments: { live } }: Setup): Promise<string> {
  const method = await callApiOk(live, live.publishableKey, '/v1/payment_methods', {
    type: 'card',
    'card[token]': 'house_visa',
  });
  const charge = await callApiOk(live, live.secretKey, '/v1/charges', {
    amount: '4200',
    currency: 'eur',
    payment_method: requireText(method, 'id'),
  });
  check(charge['livemode'] === true && charge['status'] === 'succeeded', 'It did not succeed.');
  return `Live charged 42.00 eur through the host's own bank adapter: ${requireText(charge, 'id')}`;
}

function requireOrder(memory: Memory): Order {
  if (memory.order === undefined) throw new Error('There is no order yet.');
  return memory.order;
}

async function orderWith(setup: Setup, id: string, status: string): Promise<Order | undefined> {
  const response = await fetch(`${setup.shopUrl}/orders/${id}`);
  const order: unknown = await response.json();
  check(isOrder(order), 'The shop showed no order.');
  return order.status === status ? order : undefined;
}

function isOrder(value: unknown): value is Order {
  if (typeof value !== 'object' || value === null) return false;
  return 'id' in value && 'charge' in value && 'status' in value;
}
