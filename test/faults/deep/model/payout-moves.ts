import { isDeepStrictEqual } from 'node:util';
import { share } from './charge-moves.ts';
import type { Bank, Payout } from './objects.ts';
import { type Schedule, WEEKDAYS } from './payout-plan.ts';
import { payoutCanceled } from './payout-rules.ts';
import { type Expected, OK, type Player, refused } from './player.ts';
import type { Of } from './steps.ts';

export async function payout(player: Player, step: Of<'payout'>): Promise<void> {
  const { book, setup } = player;
  // One in four is on a clock, if there are clocks, and one in four names its bank account.
  const timeline = (step.pick % 4 === 0 && player.pick(book.clocks, step.pick)) || book.real;
  const named = step.pick % 4 === 1 ? player.pick(book.banks, step.bank) : undefined;
  const bank = named ?? book.defaultBank;
  const available = book.available('eur');
  const amount = share(Math.max(available, 1), step.percent);
  const refusal = payoutRefusal(player, bank, amount);
  const { clock } = timeline;
  const body = {
    amount,
    currency: 'eur',
    ...(clock && { test_clock: clock.id }),
    ...(named && { destination: named.id }),
  };
  const { isTwice } = step;
  const { verdict } = step.answer;
  // On a clock, the bank answers at once.
  const isSilent = step.answer.isSilent && clock === undefined;
  const { json } = await player.post('payouts', body, refusal ?? OK, refusal ? {} : { isTwice });
  if (refusal || bank === undefined) return;
  const id = String(json['id']);
  const kind = { bank, isAutomatic: false } as const;
  const made: Payout = { id, amount, timeline, ...kind, status: 'pending' };
  const delay = isSilent || clock ? 0 : step.afterMs;
  setup.bank.planned.set(id, { verdict, afterMs: delay, ...(isSilent && { isSilent }) });
  book.payouts.push(made);
  book.bookPayout(-amount, made);
  const unsent = { isSilent, afterMs: delay };
  book.open.push({ kind: 'payout', verdict, amount, subject: made, knownAtMs: 0, unsent });
}

function payoutRefusal(
  { book }: Player,
  bank: Bank | undefined,
  amount: number,
): Expected | undefined {
  if (!book.plan.isEnabled || bank === undefined) return refused('payouts_not_allowed');
  if (bank.isDeleted) return refused('resource_missing');
  if (bank.isErrored) return refused('payouts_not_allowed');
  return amount > book.available('eur') ? refused('balance_insufficient') : undefined;
}

export async function cancelPayout(player: Player, step: Of<'cancelPayout'>): Promise<void> {
  const { book } = player;
  const isUnsentPayout = (payout: Payout) => book.openOf(payout)?.unsent !== undefined;
  const found = player.prefer(book.payouts, isUnsentPayout, step.pick);
  if (found === undefined) return;
  const open = book.openOf(found);
  const isUnsent = open?.unsent !== undefined;
  const expected = isUnsent ? OK : refused('status_transition_invalid');
  await player.post(`payouts/${found.id}/cancel`, {}, expected);
  if (!isUnsent) return;
  book.open.splice(book.open.indexOf(open), 1);
  payoutCanceled(book, found);
}

/** How payouts are made without being asked for, and whether any are. */
export async function payoutPlan(player: Player, step: Of<'payoutPlan'>): Promise<void> {
  const { book, setup, merchant } = player;
  const { interval, delayDays, isEnabled, answer } = step;
  const anchors = { manual: 0, daily: 0, weekly: step.day % 7, monthly: 1 + (step.day % 31) };
  const schedule: Schedule = { interval, anchor: anchors[interval], delayDays };
  const body = {
    schedule: {
      interval,
      delay_days: delayDays,
      ...(interval === 'weekly' && { weekly_anchor: WEEKDAYS[schedule.anchor] }),
      ...(interval === 'monthly' && { monthly_anchor: schedule.anchor }),
    },
    payouts_enabled: isEnabled,
  };
  await player.admin(`accounts/${merchant.account}/payout_settings`, body, OK);
  const { plan } = book;
  plan.answer = answer;
  const isOther = !isDeepStrictEqual(schedule, plan.schedule);
  if (!isOther && isEnabled === plan.isEnabled) return;
  if (isOther) Object.assign(plan, { schedule, sinceMs: book.real.nowMs });
  Object.assign(plan, { isEnabled, waitsUntilMs: 0 });
  await setup.pass(0);
  await player.payBySchedule();
}
