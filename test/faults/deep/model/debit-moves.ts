import { chargedBack } from './dispute-rules.ts';
import { type Charge, CLEARING_MS, LOOK_UP_MS } from './objects.ts';
import { OK, type Player } from './player.ts';
import { submitted } from './rules.ts';
import type { Of } from './steps.ts';

const BANK = {
  ...{ account_number: '000123456789', routing_number: '110000000' },
  ...{ account_type: 'checking', account_holder_type: 'individual' },
};

/** A bank debit: submitted at once, and known after some days. */
export async function debit(player: Player, step: Of<'debit'>): Promise<void> {
  const { book } = player;
  const { amount, isTwice } = step;
  const { verdict, isSilent } = step.answer;
  const mandate_data = { customer_acceptance: { type: 'online' } };
  const account = { type: 'us_bank_account', us_bank_account: BANK, mandate_data };
  const { json: method } = await player.post('payment_methods', account, OK);
  const body = { amount, currency: 'usd', payment_method: method['id'] };
  player.stage.bank.clearingMs = CLEARING_MS;
  const { json } = await player.post('charges', body, OK, { answer: step.answer, isTwice });
  player.stage.bank.clearingMs = 0;
  const made: Charge = {
    ...{ id: String(json['id']), amount, isManual: false, isDebit: true, status: 'pending' },
    ...{ currency: 'usd', timeline: book.real },
    ...{ captured: 0, refunded: 0, isDisputed: false, hasExpired: false },
    ...{ expiresAtMs: 0, fundsAtMs: 0, fee: 0, lines: { moves: [], fees: 0 } },
  };
  book.charges.push(made);
  const { nowMs } = book.real;
  const open = { kind: 'authorize', verdict, amount, subject: made } as const;
  const clearsAtMs = nowMs + CLEARING_MS;
  const awaited = { ...open, knownAtMs: nowMs + LOOK_UP_MS, clearsAtMs };
  book.open.push(awaited);
  if (!isSilent) submitted(book, awaited);
}

/** The bank of the payer returns a debit after it has cleared. */
export async function returned(player: Player, step: Of<'returned'>): Promise<void> {
  const { book } = player;
  const cleared = book.charges.filter(({ isDebit, status }) => isDebit && status === 'succeeded');
  const charge = player.pick(cleared, step.pick);
  if (charge === undefined) return;
  const data = { code: 'insufficient_funds', message: 'No funds.', returnCode: step.returnCode };
  await player.notify([player.about(charge, 'charge.failed', data)]);
  const reference = `return_${charge.id}`;
  chargedBack(book, { charge, reference, amount: charge.captured, isContestable: false });
}
