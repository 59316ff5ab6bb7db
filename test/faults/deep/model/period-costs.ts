import { query } from '../../../support/database.ts';
import type { Tally } from '../../scenario.ts';
import type { Subscription } from './objects.ts';
import type { Player } from './player.ts';

interface Billed {
  readonly subscription: string;
  readonly index: number;
  readonly start: Date;
  readonly end: Date;
  /** Of all lines for time in it, also of those that wait for an invoice. */
  readonly amount: number;
}

/**
 * A period costs what its prices cost for the time that they were in force, and no credit is more than was
 * billed, whatever was changed in which order.
 * @throws Error for a period that cost something else
 */
export async function assertCosts({ book, merchant, setup }: Player, tally: Tally): Promise<void> {
  const periods = await query<Billed>(setup.databaseUrl, PERIODS, [merchant.account]);
  for (const sold of book.subscriptions.filter(({ isOdd }) => !isOdd)) {
    for (const period of periods.filter(({ subscription }) => subscription === sold.id)) {
      // Nothing is billed for a trial.
      if (sold.hasTrial && period.index === 0) continue;
      const expected = costOf(sold, period);
      tally.add('periods with their costs');
      if (period.amount === expected) continue;
      const history = JSON.stringify(sold.prices);
      throw new Error(
        `Period ${period.index} of ${sold.id}, ${period.start.toISOString()} to ${period.end.toISOString()}, cost ${period.amount} instead of ${expected}: ${history}`,
      );
    }
  }
}

/** Each price counts from when it came into force. What came before the period counts from its start. */
function costOf({ prices }: Subscription, { start, end }: Billed): number {
  const [from, until] = [start.getTime(), end.getTime()];
  return prices.reduce((sum, { atMs, amount }, index) => {
    const begins = Math.max(from, atMs);
    const ends = Math.min(until, prices[index + 1]?.atMs ?? until);
    if (ends <= begins) return sum;
    const share = (ms: number): number =>
      Math.round((amount * Math.floor((ms - from) / 1_000)) / Math.floor((until - from) / 1_000));
    return sum + share(ends) - share(begins);
  }, 0);
}

/**
 * Periods of which every invoice is paid or open. An invoice may have lines of another subscription of its
 * customer that has ended, so lines are found by their items.
 */
const PERIODS = `WITH lines AS (
    SELECT i.status, l ->> 'subscriptionItemId' AS item, (l ->> 'amount')::bigint AS amount,
      (l -> 'period' ->> 'start')::timestamptz AS starts_at
    FROM paymount.invoices i, jsonb_array_elements(i.lines) l
    WHERE i.account_id = $1 AND i.status <> 'deleted'
    UNION ALL
    SELECT 'open', subscription_item_id, amount, period_start FROM paymount.invoice_items
    WHERE account_id = $1 AND invoice_id IS NULL AND deleted_at IS NULL)
  SELECT p.subscription_id AS subscription, p.index, p.starts_at AS start, p.ends_at AS "end",
    sum(l.amount)::integer AS amount
  FROM paymount.billing_periods p
  JOIN paymount.subscription_items m ON (m.account_id, m.livemode, m.subscription_id)
    = (p.account_id, p.livemode, p.subscription_id)
  JOIN lines l ON l.item = m.id AND l.starts_at >= p.starts_at AND l.starts_at < p.ends_at
  WHERE p.account_id = $1 AND p.is_billed
  GROUP BY p.subscription_id, p.index, p.starts_at, p.ends_at
  HAVING bool_and(l.status IN ('paid', 'open'))`;
