import type { Book } from './book.ts';
import { share } from './charge-moves.ts';
import type { Currency } from './objects.ts';
import { OK, type Player, refused } from './player.ts';
import type { Of } from './steps.ts';

/** An admin keeps funds back, gives them free, or bears a debt. */
export async function adjust(player: Player, step: Of<'adjust'>): Promise<void> {
  const { book, merchant } = player;
  const { kind, currency } = step;
  const most = mostOf(book, kind, currency);
  const amount = share(Math.max(most, 1), step.percent);
  const isCovered = amount <= most;
  const facts = { kind, amount, currency, reason: 'Chargebacks are expected.' };
  const body = { account: merchant.account, livemode: false, ...facts };
  await player.admin('adjustments', body, isCovered ? OK : refused('balance_insufficient'));
  if (!isCovered) return;
  const { totals, real: timeline } = book;
  if (kind === 'write_off') totals[currency].losses += amount;
  else totals[currency].reserved += kind === 'reserve' ? amount : -amount;
  const moved = kind === 'reserve' ? -amount : amount;
  book.funds.push({ amount: moved, currency, timeline, atMs: timeline.nowMs });
}

function mostOf(book: Book, kind: Of<'adjust'>['kind'], currency: Currency): number {
  switch (kind) {
    case 'reserve':
      return book.available(currency);
    case 'release':
      return book.totals[currency].reserved;
    case 'write_off':
      return -book.available(currency);
  }
}
