import { type Charge, isOpenChargeback, type Method, taken } from './book.ts';
import { DECLINED, type Expected, OK, type Player, refused } from './player.ts';
import type { Of } from './steps.ts';

export async function charge(player: Player, step: Of<'charge'>): Promise<void> {
  const { book } = player;
  const { amount, isManual, answer, isTwice } = step;
  // Most charges name a token of the bank.
  const method = step.method === 0 ? book.methods.at(-1) : undefined;
  const timeline = (step.method === 1 && book.clocks.at(-1)) || book.real;
  const expected = method?.isDetached ? refused('payment_method_unusable') : afterAnswer(answer);
  const saved = method?.id ?? timeline.clock?.method;
  const source = saved ? { payment_method: saved } : { source: 'tok_visa' };
  const body = { amount, currency: 'eur', capture: !isManual, ...source };
  const given = await player.post('charges', body, expected, { answer, isTwice });
  if (method?.isDetached) return;
  const error = given.json['error'] as { readonly charge?: string } | undefined;
  const made: Charge = {
    ...{
      id: String(given.json['id'] ?? error?.charge),
      amount,
      isManual,
      isDebit: false,
      status: 'pending',
    },
    ...{ currency: 'eur', timeline },
    ...{ captured: 0, refunded: 0, isDisputed: false, hasExpired: false },
    ...{ expiresAtMs: 0, fundsAtMs: 0 },
  };
  book.charges.push(made);
  player.settleOrLeave(answer, { kind: 'authorize', amount, subject: made });
}

function afterAnswer({ verdict, isSilent }: Of<'charge'>['answer']): Expected {
  return verdict === 'declined' && !isSilent ? DECLINED : OK;
}

export async function capture(player: Player, step: Of<'capture'>): Promise<void> {
  const found = player.pick(player.book.charges, step.pick);
  if (found === undefined) return;
  const amount = share(found.amount, step.percent);
  const expected = captureRefusal(player, found, amount) ?? afterAnswer(step.answer);
  await player.post(`charges/${found.id}/capture`, { amount }, expected, step);
  if (expected.status === 400 || expected.status === 409) return;
  player.settleOrLeave(step.answer, { kind: 'capture', amount, subject: found });
}

function captureRefusal({ book }: Player, found: Charge, amount: number): Expected | undefined {
  if (found.status === 'succeeded') return refused('charge_already_captured');
  if (found.hasExpired) return refused('charge_expired_for_capture');
  if (found.status !== 'authorized') return refused('status_transition_invalid');
  if (found.expiresAtMs <= found.timeline.nowMs) return refused('charge_expired_for_capture');
  if (amount > found.amount) return refused('capture_amount_exceeds_authorization');
  return book.busy(found) && refused('operation_in_progress', 409);
}

export async function cancel(player: Player, step: Of<'cancel'>): Promise<void> {
  const { book } = player;
  const found = player.pick(book.charges, step.pick);
  if (found === undefined) return;
  const refusal =
    found.status === 'authorized'
      ? book.busy(found) && refused('operation_in_progress', 409)
      : refused('status_transition_invalid');
  await player.post(
    `charges/${found.id}/cancel`,
    {},
    refusal ?? afterAnswer(step.answer),
    refusal ? {} : step,
  );
  if (refusal) return;
  const { amount } = found;
  player.settleOrLeave(step.answer, { kind: 'cancel', amount, subject: found });
}

export async function refund(player: Player, step: Of<'refund'>): Promise<void> {
  const { book } = player;
  const found = player.pick(book.charges, step.pick);
  if (found === undefined) return;
  const rest = restOf(player, found);
  const amount = share(
    found.status === 'succeeded' ? Math.max(rest, 1) : found.amount,
    step.percent,
  );
  const refusal = refundRefusal(player, found, amount);
  const body = { charge: found.id, amount };
  const { answer, isTwice } = step;
  const more = refusal ? {} : { answer, isTwice };
  // A refusal of the bank is told by the status of the refund.
  const { json } = await player.post('refunds', body, refusal ?? OK, more);
  if (refusal) return;
  const isCancel = found.status === 'authorized';
  const fundsAtMs = Math.max(found.fundsAtMs, found.timeline.nowMs);
  const made = {
    ...{ id: String(json['id']), charge: found, amount, status: 'pending' as const },
    fundsAtMs: isCancel ? undefined : fundsAtMs,
  };
  book.refunds.push(made);
  if (!isCancel) {
    found.refunded += amount;
    book.book(-amount, found, fundsAtMs);
  }
  player.settleOrLeave(answer, { kind: isCancel ? 'cancel' : 'refund', amount, subject: made });
}

function restOf({ book }: Player, found: Charge): number {
  return found.captured - found.refunded - taken(book.disputesOf(found));
}

function refundRefusal(player: Player, found: Charge, amount: number): Expected | undefined {
  const { book } = player;
  const busy = book.busy(found);
  if (busy && busy.kind !== 'authorize') return refused('operation_in_progress', 409);
  const disputes = book.disputesOf(found);
  if (disputes.some(isOpenChargeback)) return refused('charge_disputed');
  switch (found.status) {
    case 'pending':
      return refused('charge_pending');
    case 'failed':
    case 'canceled':
      return refused('charge_not_refundable');
    case 'authorized':
      if (amount > found.amount) return refused('refund_amount_exceeds_charge');
      return amount < found.amount ? refused('charge_not_captured') : undefined;
    case 'succeeded': {
      const rest = restOf(player, found);
      if (rest <= 0) {
        return refused(taken(disputes) > 0 ? 'charge_disputed' : 'charge_already_refunded');
      }
      if (amount > rest) return refused('refund_amount_exceeds_charge');
      return book.available(found.currency) + book.pending(found.currency) < amount
        ? refused('balance_insufficient')
        : undefined;
    }
  }
}

/** At least 1. */
export function share(whole: number, percent: number): number {
  return Math.max(1, Math.floor((whole * percent) / 100));
}

export async function attach(player: Player, step: Of<'attach'>): Promise<void> {
  const { book } = player;
  let customer = player.pick(book.customers, step.pick);
  if (customer === undefined || step.pick % 3 === 0) {
    const { json } = await player.post('customers', {}, OK);
    customer = { id: String(json['id']), isDeleted: false };
    book.customers.push(customer);
  }
  const card = { token: 'tok_visa' };
  const { json } = await player.post('payment_methods', { type: 'card', card }, OK);
  const method: Method = { id: String(json['id']), customer, isDetached: false };
  const expected = customer.isDeleted ? refused('resource_missing') : OK;
  await player.post(`payment_methods/${method.id}/attach`, { customer: customer.id }, expected);
  if (!customer.isDeleted) book.methods.push(method);
}

export async function detach(player: Player, step: Of<'detach'>): Promise<void> {
  const method = player.pick(player.book.methods, step.pick);
  if (method === undefined) return;
  const expected = method.isDetached ? refused('payment_method_unattached') : OK;
  await player.post(`payment_methods/${method.id}/detach`, {}, expected);
  method.isDetached = true;
}

export async function deleteCustomer(player: Player, step: Of<'deleteCustomer'>): Promise<void> {
  const { book, merchant } = player;
  const customer = player.pick(book.customers, step.pick);
  if (customer === undefined) return;
  const path = `customers/${customer.id}`;
  const expected = customer.isDeleted ? refused('resource_missing', 404) : OK;
  player.assert(path, await merchant.remove(path), expected);
  customer.isDeleted = true;
  for (const method of book.methods) if (method.customer === customer) method.isDetached = true;
}
