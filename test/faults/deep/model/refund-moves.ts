import { PaymountError } from '@paymount/core/kernel';
import { isOpenChargeback, taken } from './book.ts';
import { share } from './charge-moves.ts';
import type { Charge, Refund } from './objects.ts';
import { type Expected, OK, type Player, refused } from './player.ts';
import { refundUndone } from './rules.ts';
import type { Of } from './steps.ts';

export async function refund(player: Player, step: Of<'refund'>): Promise<void> {
  const { book } = player;
  const found = player.prefer(book.charges, isRefundable, step.pick);
  if (found === undefined) return;
  const rest = restOf(player, found);
  const amount = share(
    found.status === 'succeeded' ? Math.max(rest, 1) : found.amount,
    step.percent,
  );
  const refusal = refundRefusal(player, found, amount);
  const { isHosts, answer } = step;
  const id = await (isHosts ? refundOfHost : refundOfMerchant)(
    player,
    { charge: found.id, amount },
    refusal ? { expected: refusal } : { expected: OK, step },
  );
  if (refusal) return;
  const isCancel = found.status === 'authorized';
  const fundsAtMs = Math.max(found.fundsAtMs, found.timeline.nowMs);
  const made = {
    id,
    charge: found,
    amount,
    status: 'pending' as const,
    fundsAtMs: isCancel ? undefined : fundsAtMs,
    lines: { moves: isCancel ? [] : [-amount], fees: 0 },
  };
  book.refunds.push(made);
  if (!isCancel) {
    found.refunded += amount;
    book.book(-amount, found, fundsAtMs);
  }
  const open = { kind: isCancel ? 'cancel' : 'refund', amount, subject: made } as const;
  if (!isHosts) {
    player.settleOrLeave(answer, open);
    return;
  }
  const { verdict, isSilent } = answer;
  player.setup.bank.planned.set(id, { verdict, ...(isSilent && { isSilent }) });
  book.open.push({ ...open, verdict, knownAtMs: 0, unsent: { isSilent, afterMs: 0 } });
}

function isRefundable({ status, captured, refunded }: Charge): boolean {
  return status === 'authorized' || (status === 'succeeded' && refunded < captured);
}

interface Asked {
  readonly expected: Expected;
  /** Absent if it is refused. */
  readonly step?: Of<'refund'>;
}

/** A refusal of the bank is told by the status of the refund. */
async function refundOfMerchant(
  player: Player,
  body: { readonly charge: string; readonly amount: number },
  { expected, step }: Asked,
): Promise<string> {
  const { json } = await player.post('refunds', body, expected, step);
  return String(json['id']);
}

/** In the host's own transaction: a worker sends it later. */
async function refundOfHost(
  { setup, merchant }: Player,
  body: { readonly charge: string; readonly amount: number },
  { expected }: Asked,
): Promise<string> {
  try {
    const { id } = await setup.refundInTransaction(merchant.account, body);
    if (expected === OK) return id;
    throw new Error(`The refund ${id} was made instead of ${expected.code}.`);
  } catch (error) {
    if (PaymountError.is(error) && error.code === expected.code) return '';
    throw error;
  }
}

/** One that was not sent yet gives its amount back. */
export async function cancelRefund(player: Player, step: Of<'cancelRefund'>): Promise<void> {
  const { book } = player;
  const isUnsentRefund = (refund: Refund) => book.openOf(refund)?.unsent !== undefined;
  const found = player.prefer(book.refunds, isUnsentRefund, step.pick);
  if (found === undefined) return;
  const open = book.openOf(found);
  const isUnsent = open?.unsent !== undefined;
  const expected = isUnsent ? OK : refused('status_transition_invalid');
  await player.post(`refunds/${found.id}/cancel`, {}, expected);
  if (!isUnsent) return;
  book.open.splice(book.open.indexOf(open), 1);
  refundUndone(book, found, 'canceled');
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
