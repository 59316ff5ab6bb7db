import type { Payout } from './book.ts';
import { share } from './charge-moves.ts';
import { OK, type Player, refused } from './player.ts';
import type { Of } from './steps.ts';

export async function payout(player: Player, step: Of<'payout'>): Promise<void> {
  const { book, stage } = player;
  // One in four is on a clock, if there are clocks.
  const timeline = (step.pick % 4 === 0 && player.pick(book.clocks, step.pick)) || book.real;
  const available = book.available('eur');
  const amount = share(Math.max(available, 1), step.percent);
  const refusal = book.isBankErrored
    ? refused('payouts_not_allowed')
    : amount > available
      ? refused('balance_insufficient')
      : undefined;
  const { clock } = timeline;
  const body = { amount, currency: 'eur', ...(clock && { test_clock: clock.id }) };
  const { isTwice } = step;
  const { verdict } = step.answer;
  // On a clock, the bank answers at once.
  const isSilent = step.answer.isSilent && clock === undefined;
  const { json } = await player.post('payouts', body, refusal ?? OK, refusal ? {} : { isTwice });
  if (refusal) return;
  const made: Payout = { id: String(json['id']), amount, timeline, status: 'pending' };
  const delay = isSilent || clock ? 0 : step.afterMs;
  stage.bank.planned.set(made.id, { verdict, afterMs: delay, ...(isSilent && { isSilent }) });
  book.payouts.push(made);
  book.bookPayout(-amount, made);
  const unsent = { isSilent, afterMs: delay };
  book.open.push({ kind: 'payout', verdict, amount, subject: made, knownAtMs: 0, unsent });
}

export async function cancelPayout(player: Player, step: Of<'cancelPayout'>): Promise<void> {
  const { book } = player;
  const found = player.pick(book.payouts, step.pick);
  if (found === undefined) return;
  const open = book.openOf(found);
  const isUnsent = open?.unsent !== undefined;
  const expected = isUnsent ? OK : refused('status_transition_invalid');
  await player.post(`payouts/${found.id}/cancel`, {}, expected);
  if (!isUnsent) return;
  book.open.splice(book.open.indexOf(open), 1);
  found.status = 'canceled';
  book.bookPayout(found.amount, found);
}

/** After a payout has come back, the merchant names another bank account. */
export async function addBank({ book, merchant }: Player): Promise<void> {
  const external_account = {
    ...{ object: 'bank_account', country: 'DE', currency: 'eur' },
    account_number: 'DE89370400440532013000',
  };
  const path = `accounts/${merchant.account}/external_accounts`;
  const { status, text } = await merchant.post(path, {
    external_account,
    default_for_currency: true,
  });
  if (status !== 200) throw new Error(`${path} was answered ${text}`);
  book.isBankErrored = false;
}
