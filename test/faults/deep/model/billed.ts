import type { ApiAnswer } from '../../api-client.ts';
import type { Line } from '../bank.ts';
import type { Merchant, Setup } from '../setup.ts';
import type { Book } from './book.ts';
import type { Answer, Charge, Open } from './objects.ts';

type Row = Readonly<Record<string, unknown>>;

/** What it needs of a player. */
interface Learner {
  readonly book: Book;
  readonly setup: Pick<Setup, 'bank'>;
  readonly merchant: Merchant;
  settleOrLeave(answer: Answer, open: Pick<Open, 'kind' | 'amount' | 'subject'>): void;
}

/**
 * What billing has charged and given back since the last look. When it does so is not of the model, which
 * learns the ids from the API; what came of it follows from the journal of the bank, as for all others.
 */
export async function learnBilled(player: Learner): Promise<void> {
  const { book, merchant } = player;
  const charges = new Map(book.charges.map((charge) => [charge.id, charge]));
  for (const row of await newestFirst(merchant.get('charges?limit=100'))) {
    const id = String(row['id']);
    if (row['invoice'] === null || charges.has(id)) continue;
    const made = chargeOf(player, id, row);
    charges.set(id, made);
    book.charges.push(made);
    const answer = answerOf(player, id, row);
    player.settleOrLeave(answer, { kind: 'authorize', amount: made.amount, subject: made });
  }
  const known = new Set(book.refunds.map(({ id }) => id));
  for (const row of await newestFirst(merchant.get('refunds?limit=100'))) {
    const [id, charge] = [String(row['id']), charges.get(String(row['charge']))];
    if (charge?.isBilled && !known.has(id)) learnRefund(player, charge, row);
  }
}

async function newestFirst(answer: Promise<ApiAnswer>): Promise<readonly Row[]> {
  const { status, json, text } = await answer;
  if (status !== 200) throw new Error(`A list was answered ${text}`);
  return (json['data'] as readonly Row[]).toReversed();
}

function chargeOf({ book }: Learner, id: string, row: Row): Charge {
  return {
    id,
    amount: Number(row['amount']),
    isManual: false,
    isDebit: false,
    isBilled: true,
    status: 'pending',
    currency: 'eur',
    timeline: book.real,
    captured: 0,
    refunded: 0,
    isDisputed: false,
    hasExpired: false,
    expiresAtMs: 0,
    fundsAtMs: 0,
    fee: 0,
    lines: { moves: [], fees: 0 },
  };
}

/** What was paid for a subscription that was over is given back. */
function learnRefund(player: Learner, charge: Charge, row: Row): void {
  const { book } = player;
  const [id, amount] = [String(row['id']), Number(row['amount'])];
  const fundsAtMs = Math.max(charge.fundsAtMs, charge.timeline.nowMs);
  const lines = { moves: [-amount], fees: 0 };
  const made = { id, charge, amount, status: 'pending' as const, fundsAtMs, lines };
  book.refunds.push(made);
  charge.refunded += amount;
  book.book(-amount, charge, fundsAtMs);
  player.settleOrLeave(answerOf(player, id, row), { kind: 'refund', amount, subject: made });
}

/** What the bank did; it is not known yet of what is still pending. */
function answerOf({ setup }: Learner, id: string, { status }: Row): Answer {
  const [line]: readonly (Line | undefined)[] = setup.bank.journal.get(id) ?? [];
  if (line === undefined) throw new Error(`${id} is ${status}, and the bank has not heard of it`);
  return { verdict: line.verdict, isSilent: status === 'pending' };
}
