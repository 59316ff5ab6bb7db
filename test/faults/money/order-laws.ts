import type { ChargeRow, Everything, OrderRow, RefundRow } from './data-and-journal.ts';
import { groupBy, total } from './group-by.ts';

/** Orders say what their charges and refunds say; the hook was told of each result once. */
export function checkOrders({ orders, charges, refunds }: Everything): readonly string[] {
  const byOrder = groupBy(charges, ({ order }) => order);
  const byCharge = groupBy(refunds, ({ charge }) => charge);
  const violations: string[] = [];
  for (const order of orders) {
    const [charge, ...others] = byOrder.get(order.id) ?? [];
    if (charge === undefined || others.length > 0) {
      violations.push(`Order ${order.id} has ${charge ? others.length + 1 : 0} charges.`);
      continue;
    }
    const found = describeOrder(order);
    const expected = expectedOrder(charge, byCharge.get(charge.id) ?? []);
    if (found !== expected) {
      violations.push(`Order ${order.id} says ${found}, and its charge ${expected}.`);
    }
    if (new Set(order.marks).size !== order.marks.length) {
      violations.push(`The hook marked order ${order.id} twice: ${order.marks.join(', ')}.`);
    }
  }
  const known = new Set(orders.map(({ id }) => id));
  for (const { id, order } of charges) {
    if (!known.has(order)) violations.push(`Charge ${id} has no order.`);
  }
  return violations;
}

function describeOrder({ charge, state, captured, refunded }: OrderRow): string {
  return `${charge} ${state} ${captured} refunded ${refunded}`;
}

function expectedOrder({ id, status, captured }: ChargeRow, refunds: readonly RefundRow[]): string {
  const succeeded = refunds.filter((refund) => refund.status === 'succeeded');
  const refunded = status === 'succeeded' ? total(succeeded, ({ amount }) => amount) : 0;
  return `${id} ${status} ${captured} refunded ${refunded}`;
}

/** Exactly one event for each change of state that has one. */
export function checkEvents({ charges, refunds, events, journal }: Everything): readonly string[] {
  const atBank = new Set(journal.map(({ subject }) => subject));
  const byCharge = groupBy(events, ({ charge }) => charge);
  const refunded = groupBy(
    refunds.filter(({ status }) => status === 'succeeded'),
    ({ charge }) => charge,
  );
  return charges.flatMap((charge) => {
    const returns = charge.status === 'succeeded' ? (refunded.get(charge.id)?.length ?? 0) : 0;
    const expected = [
      ...ofCharge(charge, atBank.has(charge.id)),
      ...Array(returns).fill('charge.refunded'),
    ].join(' ');
    const found = (byCharge.get(charge.id) ?? [])
      .map(({ type }) => type)
      .sort((a, b) => PLACES.indexOf(a) - PLACES.indexOf(b))
      .join(' ');
    return found === expected
      ? []
      : [`Charge ${charge.id} has the events "${found}" instead of "${expected}".`];
  });
}

/** The events of a charge in the order in which they happen. */
const PLACES = [
  'charge.pending',
  'charge.failed',
  'charge.succeeded',
  'charge.captured',
  'charge.refunded',
];

/** @param isSubmitted whether the bank got the debit: not if it failed before */
function ofCharge(
  { status, captureMethod, isDebit }: ChargeRow,
  isSubmitted: boolean,
): readonly string[] {
  const before = isDebit && isSubmitted ? ['charge.pending'] : [];
  if (status === 'failed') return [...before, 'charge.failed'];
  if (status !== 'succeeded') return before;
  return [...before, captureMethod === 'automatic' ? 'charge.succeeded' : 'charge.captured'];
}
