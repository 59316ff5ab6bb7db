import { newNotice } from '../setup.ts';
import type { Book } from './book.ts';
import { share } from './charge-moves.ts';
import { comparedAgain } from './compared-again.ts';
import type { Charge, Difference, Refund } from './objects.ts';
import type { Player } from './player.ts';
import type { Of } from './steps.ts';

/** The bank pays what a charge or refund moved, and says what it has kept; perhaps another amount. */
export async function settlement(player: Player, step: Of<'settlement'>): Promise<void> {
  const { book, setup } = player;
  const lineOf = ({ id }: Charge | Refund) => setup.bank.journal.get(id)?.[0];
  // Of what it declined the bank told no reference that a line could name, and it pays nothing for it.
  const known = [...book.charges, ...book.refunds]
    .filter(isKnown(book))
    .filter((subject) => lineOf(subject)?.verdict === 'approved');
  const found = player.pick(known, step.pick);
  const moved = found?.lines.moves[0];
  if (found === undefined || moved === undefined) return;
  const { fee } = step;
  const amount = Math.sign(moved) * share(Math.abs(moved), step.percent);
  const lineId = `line_${found.id}_${player.notices.length}`;
  const { currency } = 'charge' in found ? found.charge : found;
  const data = { lineId, amount, currency, fee, settledOn: '2026-01-05', kind: 'payment' };
  const processorReference = lineOf(found)?.reference ?? '';
  const told = [0, 1].map(() =>
    newNotice(setup, { kind: 'settlement_line', processorReference, data }),
  );
  // What is told twice under one name is one line.
  await player.notify(step.isTwice ? told : told.slice(1));
  settled(book, found, { lineId, amount, fee });
}

/** Nothing about it is open, and it moved money. */
function isKnown(book: Book): (subject: Charge | Refund) => boolean {
  return (subject) => {
    const charge = 'charge' in subject ? subject.charge : subject;
    const isOpen = book.open.some(
      (open) =>
        open.subject === charge || ('charge' in open.subject && open.subject.charge === charge),
    );
    return !isOpen && subject.lines.moves.length > 0 && subject.status !== 'canceled';
  };
}

function settled(
  book: Book,
  subject: Charge | Refund,
  line: { readonly lineId: string; readonly amount: number; readonly fee: number },
): void {
  const { lines } = subject;
  const totals = book.totals['charge' in subject ? subject.charge.currency : subject.currency];
  const { lineId: about, amount, fee } = line;
  totals.settled += amount - fee;
  if (!lines.moves.includes(amount)) {
    const { moves } = lines;
    const differs = { kind: 'amount_differs', about, expected: null, found: amount } as const;
    found(book, comparedAgain({ ...differs, state: 'open', moves }));
  }
  // Of a fee that the bank told with its answer, lines tell the same once more, or the rest.
  const answered = 'charge' in subject ? 0 : subject.fee;
  const before = Math.max(answered, lines.fees);
  lines.fees += fee;
  totals.fees += Math.max(answered, lines.fees) - before;
  const differs = { kind: 'fee_differs', about: subject.id } as const;
  const state = lines.fees < answered ? 'open' : 'resolved';
  const known = book.differences.find(
    (each) => each.kind === differs.kind && each.about === subject.id,
  );
  if (state === 'open') found(book, { ...differs, expected: answered, found: lines.fees, state });
  else if (known) known.state = state;
}

/** The same difference is one, with the amounts of now. */
function found(book: Book, difference: Difference): void {
  const known = book.differences.find(
    ({ kind, about }) => kind === difference.kind && about === difference.about,
  );
  if (known) Object.assign(known, difference);
  else book.differences.push(difference);
}
