import type { PaymountOptions } from 'paymount';
import { query } from '../../support/database.ts';
import { SeededRandom } from '../money/seeded-random.ts';
import { type Findings, type Scenario, Tally } from '../scenario.ts';
import { chargebackOf } from './race-verbs.ts';
import { type Merchant, openSetup, type Setup } from './setup.ts';

/** Accounts whose funds become available together. */
const BATCH = 25;
/** Accounts at a time, each of them by so many callers. */
const ACCOUNTS_AT_ONCE = 5;
const CALLERS = 4;
const CALLS_EACH = 3;
const THREE_DAYS_MS = 3 * 86_400_000;

/** In percent. Refunds of pending charges take it from what is available. */
const FEE = 10;
const fees: PaymountOptions['fees'] = (_, amount) => {
  const fee = Math.floor((amount * FEE) / 100);
  return { amount: fee, details: [{ amount: fee, type: 'application_fee', description: 'Fee' }] };
};

/**
 * Payouts that took more than was there, by the entries of the ledger: from what was available, and from
 * what covers refunds of pending charges. A refund and another payout hold the lock of the balance until
 * they commit, so each that has a lower number was seen, and so was every credit. A chargeback takes no
 * lock, and may not have been seen.
 */
const UNCOVERED = `SELECT source_id, (available + LEAST(0, pending))::text AS left_over FROM (
    SELECT t.kind, t.source_id, a.code,
      sum(CASE WHEN a.code = 'available' AND t.kind <> 'dispute' THEN -e.amount ELSE 0 END) OVER earlier AS available,
      sum(CASE WHEN a.code = 'pending' THEN -e.amount ELSE 0 END) OVER earlier AS pending
    FROM paymount.ledger_entry e
    JOIN paymount.ledger_account a ON a.id = e.ledger_account_id
      AND a.code IN ('available', 'pending')
    JOIN paymount.ledger_transaction t ON t.id = e.transaction_id
    WINDOW earlier AS (PARTITION BY a.account_id, a.currency ORDER BY e.id)
  ) AS posted WHERE kind = 'payout' AND code = 'available' AND available + LEAST(0, pending) < 0`;

/** Size: interleavings, each on an account of its own. */
export const payoutCover: Scenario = {
  name: 'payout-cover',
  law: 'However charges, refunds, chargebacks and payouts interleave, no payout exceeds what is available and covers no refund.',
  sizes: { small: 20, nightly: 1_000, full: 10_000 },
  async run(interleavings, seed = Math.floor(Math.random() * 2 ** 32)) {
    const random = new SeededRandom(seed);
    const setup = await openSetup(undefined, { fees });
    const tally = new Tally();
    const violations: string[] = [];
    try {
      for (let done = 0; done < interleavings; done += BATCH) {
        const count = Math.min(BATCH, interleavings - done);
        violations.push(...(await playBatch({ setup, random, tally }, count)));
      }
      const rows = await query<{ source_id: string; left_over: string }>(
        setup.databaseUrl,
        UNCOVERED,
      );
      for (const { source_id, left_over } of rows) {
        violations.push(`Payout ${source_id} left ${left_over} of what was available.`);
      }
      violations.push(...(await setup.verify()));
      tally.add('deadlocks that the database ended', await setup.deadlocks());
    } finally {
      await setup.close();
    }
    return { violations, counts: { seed, ...tally.toCounts() } } satisfies Findings;
  },
};

interface Play {
  readonly setup: Setup;
  readonly random: SeededRandom;
  readonly tally: Tally;
}

/** A merchant, the charges so far, and the payouts so far. */
interface Shop {
  readonly merchant: Merchant;
  readonly charges: string[];
  readonly payouts: string[];
}

async function playBatch(play: Play, count: number): Promise<readonly string[]> {
  const { setup, random, tally } = play;
  const shops = await someAtOnce(Array.from({ length: count }), async () => {
    const shop: Shop = { merchant: await setup.newMerchant(), charges: [], payouts: [] };
    for (let sold = random.between(1, 3); sold > 0; sold -= 1) await sell(shop, random);
    return shop;
  });
  await setup.pass(THREE_DAYS_MS);
  const found = await someAtOnce(shops, (shop) =>
    Promise.all(Array.from({ length: CALLERS }, () => interleave(play, shop))),
  );
  await setup.noticesTried();
  const left = await someAtOnce(shops, emptyBalance);
  await Promise.all(shops.map(({ merchant }) => merchant.close()));
  tally.add('interleavings', count);
  return [...found.flat(2), ...left.flat()];
}

/** @returns the results in the order of the items */
async function someAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let first = 0; first < items.length; first += ACCOUNTS_AT_ONCE) {
    const some = items.slice(first, first + ACCOUNTS_AT_ONCE);
    results.push(...(await Promise.all(some.map(work))));
  }
  return results;
}

async function sell({ merchant, charges }: Shop, random: SeededRandom): Promise<number> {
  const amount = random.between(50, 200);
  const sale = { amount, currency: 'eur', source: 'tok_visa' };
  const { json, status } = await merchant.post('charges', sale);
  if (status === 200) charges.push(String(json['id']));
  return status;
}

const ACTIONS = ['payout', 'payout', 'payout', 'refund', 'refund', 'chargeback', 'cancel', 'sale'];

/** What a caller may be told instead of 200. */
const REFUSED = new Set([
  'balance_insufficient',
  'refund_amount_exceeds_charge',
  'charge_already_refunded',
  'charge_disputed',
  'status_transition_invalid',
  // On a busy machine.
  'lock_timeout',
]);

async function interleave({ setup, random, tally }: Play, shop: Shop): Promise<readonly string[]> {
  const violations: string[] = [];
  for (let asked = 0; asked < CALLS_EACH; asked += 1) {
    const action = random.pick(ACTIONS);
    const { status, code, text } = await act(setup, random, shop, action);
    tally.add(`${action}: ${code ?? status}`);
    if (status === 200 || ([400, 429].includes(status) && REFUSED.has(code ?? ''))) continue;
    violations.push(`A ${action} was answered ${status} ${text}`);
  }
  return violations;
}

interface Told {
  readonly status: number;
  readonly code?: string | undefined;
  readonly text: string;
}

async function act(setup: Setup, random: SeededRandom, shop: Shop, action: string): Promise<Told> {
  const { merchant, charges, payouts } = shop;
  const charge = random.pick(charges);
  const amount = random.between(20, 200);
  switch (action) {
    case 'payout': {
      const paid = await merchant.post('payouts', { amount, currency: 'eur' });
      if (paid.status === 200) payouts.push(String(paid.json['id']));
      return paid;
    }
    case 'refund':
      return merchant.post('refunds', { charge, amount: random.between(10, 100) });
    case 'chargeback': {
      const [line] = setup.bank.journal.get(charge) ?? [];
      const amountOf = line?.sent.amount ?? 0;
      return setup.notify([chargebackOf(setup, line?.reference ?? '', amountOf)]);
    }
    case 'cancel': {
      const [payout] = payouts.slice(-1);
      if (payout === undefined) return { status: 200, text: 'there is none' };
      return merchant.post(`payouts/${payout}/cancel`);
    }
    default:
      return { status: await sell(shop, random), text: 'a sale' };
  }
}

/** What is shown as available, less what covers refunds, is what can be paid out, to the cent. */
async function emptyBalance({ merchant }: Shop): Promise<readonly string[]> {
  const before = await payable(merchant);
  const payout = (amount: number) => merchant.post('payouts', { amount, currency: 'eur' });
  const tooMuch = await payout(Math.max(before, 0) + 1);
  if (tooMuch.code !== 'balance_insufficient') {
    return [`${before} were available, and a payout of one more was answered ${tooMuch.text}`];
  }
  if (before <= 0) return [];
  const all = await payout(before);
  const left = await payable(merchant);
  return all.status === 200 && left === 0
    ? []
    : [`${before} were available; their payout was answered ${all.text}, and ${left} are left.`];
}

async function payable(merchant: Merchant): Promise<number> {
  const { json } = await merchant.get('balance');
  const amountOf = (pool: string): number => {
    const funds = (json[pool] ?? []) as readonly { readonly amount: number }[];
    return funds[0]?.amount ?? 0;
  };
  return amountOf('available') + Math.min(0, amountOf('pending'));
}
