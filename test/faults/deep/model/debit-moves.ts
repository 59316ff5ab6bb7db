import { bankAccountOf, newAccountNumber } from './customer-moves.ts';
import { chargedBack } from './dispute-rules.ts';
import { type Charge, CLEARING_MS, LOOK_UP_MS } from './objects.ts';
import { OK, type Player, refused } from './player.ts';
import { submitted } from './rules.ts';
import type { Of } from './steps.ts';

/** A bank debit: submitted at once, and known after some days. */
export async function debit(player: Player, step: Of<'debit'>): Promise<void> {
  const { book, setup } = player;
  const { amount, isTwice } = step;
  const { verdict, isSilent } = step.answer;
  const saved = book.methods.findLast(({ type }) => type === 'us_bank_account');
  const method = step.isSaved ? saved : undefined;
  const payment_method = method?.id ?? (await unsavedMethod(player));
  const body = { amount, currency: 'usd', payment_method };
  if (method?.isDetached || method?.isBlocked) {
    await player.post('charges', body, refused('payment_method_unusable'));
    return;
  }
  player.setup.bank.clearingMs = CLEARING_MS;
  const { json } = await player.post('charges', body, OK, { answer: step.answer, isTwice });
  player.setup.bank.clearingMs = 0;
  const made: Charge = {
    id: String(json['id']),
    amount,
    isManual: false,
    isDebit: true,
    status: 'pending',
    currency: 'usd',
    timeline: book.real,
    captured: 0,
    refunded: 0,
    isDisputed: false,
    hasExpired: false,
    expiresAtMs: 0,
    fundsAtMs: 0,
    method,
    fee: 0,
    lines: { moves: [], fees: 0 },
  };
  book.charges.push(made);
  const sent = setup.bank.journal.get(made.id)?.[0]?.sent.paymentMethod?.bankAccount?.accountNumber;
  if (method && sent !== method.number) {
    throw new Error(`The bank debited ${sent} instead of ${method.number}`);
  }
  const { nowMs } = book.real;
  const open = { kind: 'authorize', verdict, amount, subject: made } as const;
  const clearsAtMs = nowMs + CLEARING_MS;
  const awaited = { ...open, knownAtMs: nowMs + LOOK_UP_MS, clearsAtMs };
  book.open.push(awaited);
  if (!isSilent) submitted(book, awaited);
}

async function unsavedMethod(player: Player): Promise<string> {
  const { json } = await player.post('payment_methods', bankAccountOf(newAccountNumber()), OK);
  return String(json['id']);
}

/** The bank of the payer returns a debit after it has cleared. */
export async function returned(player: Player, step: Of<'returned'>): Promise<void> {
  const { book } = player;
  const cleared = book.charges.filter(({ isDebit, status }) => isDebit && status === 'succeeded');
  const charge = player.pick(cleared, step.pick);
  if (charge === undefined) return;
  const data = { code: 'insufficient_funds', message: 'No funds.', returnCode: step.returnCode };
  await player.notify([player.about(charge, 'charge.failed', data)]);
  if (step.returnCode === 'R10' && charge.method) charge.method.isBlocked = true;
  const reference = `return_${charge.id}`;
  chargedBack(book, { charge, reference, amount: charge.captured, isContestable: false });
}
