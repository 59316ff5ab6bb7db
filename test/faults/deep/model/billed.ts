import { query } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Line } from '../bank.ts';
import type { Merchant, Setup } from '../setup.ts';
import type { Book } from './book.ts';
import { listAll, type Row } from './list-all.ts';
import type { Answer, Charge, Open } from './objects.ts';

/** What it needs of a player. */
interface Learner {
  readonly book: Book;
  readonly setup: Pick<Setup, 'bank' | 'clock' | 'databaseUrl'>;
  readonly merchant: Merchant;
  settleOrLeave(answer: Answer, open: Pick<Open, 'kind' | 'amount' | 'subject'>): void;
}

/**
 * What billing has charged and given back since the last look. When it does so is not of the model, which
 * learns the ids from the API; what came of it follows from the journal of the bank, as for all others.
 */
export async function learnBilled(player: Learner): Promise<void> {
  const { book, merchant } = player;
  await allBilled(player);
  const charges = new Map(book.charges.map((charge) => [charge.id, charge]));
  for (const row of (await listAll(merchant, 'charges')).toReversed()) {
    const id = String(row['id']);
    if (row['invoice'] === null || charges.has(id)) continue;
    const made = chargeOf(player, id, row);
    charges.set(id, made);
    book.charges.push(made);
    const answer = answerOf(player, id, row);
    player.settleOrLeave(answer, { kind: 'authorize', amount: made.amount, subject: made });
  }
  const known = new Set(book.refunds.map(({ id }) => id));
  for (const row of (await listAll(merchant, 'refunds')).toReversed()) {
    const [id, charge] = [String(row['id']), charges.get(String(row['charge']))];
    if (charge?.isBilled && !known.has(id)) learnRefund(player, charge, row);
  }
}

/** The worker also works by itself, beside what the test lets it do: it may be in the middle of something. */
async function allBilled({ setup, merchant }: Learner): Promise<void> {
  const now = setup.clock.now();
  await eventually(
    async () => {
      const due = await query(setup.databaseUrl, DUE, [merchant.account, now]);
      const sent = await query<{ id: string }>(setup.databaseUrl, PENDING, [merchant.account]);
      return [...due, ...sent.filter(({ id }) => !setup.bank.journal.has(id))];
    },
    (open) => open.length === 0,
  );
}

const DUE = `SELECT id FROM paymount.subscriptions
    WHERE account_id = $1 AND next_action_at <= $2 AND test_clock_id IS NULL
  UNION ALL SELECT id FROM paymount.invoices
    WHERE account_id = $1 AND next_action_at <= $2 AND test_clock_id IS NULL`;
const PENDING = `SELECT id FROM paymount.charges
  WHERE account_id = $1 AND status = 'pending' AND invoice_id IS NOT NULL`;

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
