import type { Charge } from './book.ts';
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

export function afterAnswer({ verdict, isSilent }: Of<'charge'>['answer']): Expected {
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

/** At least 1. */
export function share(whole: number, percent: number): number {
  return Math.max(1, Math.floor((whole * percent) / 100));
}
