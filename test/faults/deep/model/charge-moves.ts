import type { ApiAnswer } from '../../api-client.ts';
import type { Answer, Charge, Method, Timeline } from './objects.ts';
import { DECLINED, type Expected, OK, type Player, refused } from './player.ts';
import type { Of } from './steps.ts';

export async function charge(player: Player, step: Of<'charge'>): Promise<void> {
  const { book } = player;
  const { amount, isManual, isTwice } = step;
  const { refusal, method, timeline = book.real, ...body } = payerOf(player, step);
  const answer = answerTo(player, step, method);
  // The bank tells its fees as it captures; of what is captured later, this bank tells none.
  const fee = isManual ? 0 : step.fee;
  const given = await player.post(
    'charges',
    { amount, currency: 'eur', capture: !isManual, ...body },
    refusal ?? afterAnswer(answer),
    refusal ? {} : { answer, isTwice, fee },
  );
  if (refusal) return;
  const error = given.json['error'] as { readonly charge?: string } | undefined;
  if (method && error === undefined) assertPaidBy(method, given.json);
  const id = String(given.json['id'] ?? error?.charge);
  const made: Charge = {
    id,
    amount,
    isManual,
    isDebit: false,
    status: 'pending',
    currency: 'eur',
    timeline,
    captured: 0,
    refunded: 0,
    isDisputed: false,
    hasExpired: false,
    expiresAtMs: 0,
    fundsAtMs: 0,
    fee,
    lines: { moves: [], fees: 0 },
  };
  book.charges.push(made);
  player.settleOrLeave(answer, { kind: 'authorize', amount, subject: made });
}

/** A card that fails is declined, whatever the bank would do with another. */
function answerTo({ setup }: Player, step: Of<'charge'>, method: Method | undefined): Answer {
  const fails = method !== undefined && setup.bank.declining.has(method.token);
  return fails ? { verdict: 'declined', isSilent: false } : step.answer;
}

interface Payer {
  readonly source?: string;
  readonly payment_method?: string;
  readonly customer?: string;
  readonly refusal?: Expected;
  readonly method?: Method;
  readonly timeline?: Timeline;
}

/** Most charges name a token of the bank. */
function payerOf({ book, pick }: Player, step: Of<'charge'>): Payer {
  const method = book.methods.findLast(({ type }) => type === 'card');
  const customer = pick(book.customers, step.pick);
  const timeline = book.clocks.at(-1);
  if (step.payer === 'method' && method) {
    const refusal = method.isDetached && refused('payment_method_unusable');
    return { payment_method: method.id, method, ...(refusal && { refusal }) };
  }
  if (step.payer === 'customer' && customer) {
    const named = { customer: customer.id };
    if (customer.isDeleted) return { ...named, refusal: refused('resource_missing') };
    if (!customer.default) return { ...named, refusal: refused('parameter_missing') };
    // Charges are in euros, and debits of bank accounts in dollars.
    if (customer.default.type !== 'card') return { ...named, refusal: refused('invalid_currency') };
    return { ...named, method: customer.default };
  }
  if (step.payer === 'clock' && timeline?.clock) {
    return { payment_method: timeline.clock.method, timeline };
  }
  return { source: 'tok_visa' };
}

/** The customer's saved card has paid, with what the bank has reported of it last. */
function assertPaidBy(method: Method, json: ApiAnswer['json']): void {
  const { card } = json['payment_method_details'] as { card: { last4: string } };
  const paid = [json['customer'], json['payment_method'], card.last4].join(' ');
  const expected = [method.customer.id, method.id, method.number].join(' ');
  if (paid !== expected) throw new Error(`${paid} has paid instead of ${expected}`);
}

export function afterAnswer({ verdict, isSilent }: Of<'charge'>['answer']): Expected {
  return verdict === 'declined' && !isSilent ? DECLINED : OK;
}

export async function capture(player: Player, step: Of<'capture'>): Promise<void> {
  const found = player.prefer(player.book.charges, isAuthorized, step.pick);
  if (found === undefined) return;
  const amount = share(found.amount, step.percent);
  const expected = captureRefusal(player, found, amount) ?? afterAnswer(step.answer);
  await player.post(`charges/${found.id}/capture`, { amount }, expected, step);
  if (expected.status === 400 || expected.status === 409) return;
  player.settleOrLeave(step.answer, { kind: 'capture', amount, subject: found });
}

function isAuthorized({ status }: Charge): boolean {
  return status === 'authorized';
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
  const found = player.prefer(book.charges, isAuthorized, step.pick);
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

/** At least 1. */
export function share(whole: number, percent: number): number {
  return Math.max(1, Math.floor((whole * percent) / 100));
}
