import { type Planted, planted, strangeEntries } from './planted-errors.ts';

const MARKED = 'UPDATE paymount.balance_transactions SET payout_id =';
const RUN = 'UPDATE paymount.payout_runs SET payout_id =';
const LINE = 'UPDATE paymount.settlement_lines SET';
const AUTOMATIC = '(SELECT id FROM paymount.payouts WHERE period IS NOT NULL)';
const ONE_CHARGE = `WHERE id = (SELECT min(id) FROM paymount.balance_transactions
  WHERE type = 'charge' AND payout_id IS NOT NULL)`;
const SUM = 'An automatic payout is the sum of what it contains.';
const BROUGHT = 'A settlement line of an operation brought the bank its amount less its fee, once.';
const FEES =
  'The fees that settlement lines of a charge or refund tell are booked, or a person has settled it.';
const onlyOne = (kind: string): string =>
  `(SELECT id FROM paymount.ledger_transaction WHERE kind = '${kind}')`;

/** Errors in automatic payouts, adjustments and settlements. */
export const SETTLEMENT_ERRORS: readonly Planted[] = [
  planted(
    'an automatic payout of another amount than its parts',
    () => `UPDATE paymount.payouts SET amount = amount + 1 WHERE period IS NOT NULL`,
    SUM,
    'A payout took its amount from the balance once.',
    'An operation asks for the amount and currency of its payout.',
  ),
  planted(
    'an automatic payout without one of its parts',
    () => `${MARKED} NULL ${ONE_CHARGE}`,
    SUM,
  ),
  planted(
    'a part of an automatic payout that nobody makes',
    () => `${MARKED} 'po_none' ${ONE_CHARGE}`,
    SUM,
    'A balance transaction is in an automatic payout that was made, or that is collected.',
  ),
  planted(
    'an automatic payout whose debit another payout may contain',
    () => `${MARKED} NULL WHERE source_id = payout_id`,
    'The debit of an automatic payout is marked with that payout, and so is in no other.',
  ),
  planted(
    'a run of another currency that collects for a payout',
    () => `${RUN} ${AUTOMATIC}, collected = (SELECT amount FROM paymount.payouts
      WHERE period IS NOT NULL) WHERE currency = 'usd'`,
    'A balance transaction is in a payout of its account, environment and currency.',
  ),
  planted(
    'a run that says it has collected what it has not',
    () => `${RUN} 'po_next', collected = 5 WHERE currency = 'usd'`,
    'What is collected for the next automatic payout is what is marked with it.',
  ),
  ...(
    [
      ['reserve', 'A reserve debits available, and credits reserved.'],
      ['release', 'A release debits reserved, and credits available.'],
      ['write_off', 'A write-off debits losses, and credits available.'],
    ] as const
  ).map(([kind, rule]) =>
    planted(
      `a ${kind} with entries that no recipe makes`,
      () => strangeEntries(onlyOne(kind)),
      rule,
      ...(kind === 'write_off'
        ? [
            'A ledger transaction stays within one account, environment and currency.',
            'A balance transaction is in the currency of its posting.',
          ]
        : []),
    ),
  ),
  planted(
    'reserved funds below zero',
    () => `UPDATE paymount.ledger_account SET balance = balance - 1000 WHERE code = 'reserved'
      AND currency = 'eur'`,
    'What is reserved is not below zero.',
    'The balance of a limited ledger account is what its entries sum to.',
  ),
  planted(
    'a settlement with entries that no recipe makes',
    () => strangeEntries(onlyOne('settlement')),
    'A settlement moves money between processor_clearing and bank, and nowhere else.',
    BROUGHT,
  ),
  planted(
    'a settlement line of another amount than its charge',
    () => `${LINE} amount = amount + 1`,
    'A settlement line has an amount that its charge or refund moved, or a person has settled it.',
    BROUGHT,
  ),
  planted(
    'a settlement line that has lost its operation',
    () => `${LINE} account_id = NULL, found_id = NULL, charge_id = NULL, expected_amount = NULL`,
    'A settlement line belongs to an operation, or a person has settled it.',
    BROUGHT,
    "A processor's fee is for what the processor approved.",
  ),
  planted(
    'a settlement line in another currency than it was booked',
    () => `${LINE} currency = 'usd'`,
    'A settlement line is booked for the account, environment and currency of its operation.',
    FEES,
  ),
  planted(
    'a settlement line that tells more of a fee',
    () => `${LINE} fee = fee + 1`,
    FEES,
    BROUGHT,
  ),
  planted(
    'charges that the processor has not settled',
    ({ manual }) => `WITH since AS (${LINE} settled_on = '2020-01-01' RETURNING id),
        moved AS (UPDATE paymount.balance_transactions SET created = '2020-02-01'
          WHERE source_id = '${manual}' RETURNING id)
      UPDATE paymount.charges SET created = '2020-02-01' WHERE id = '${manual}'`,
    'What a charge moved is settled a week after it last changed, or a person has settled it.',
  ),
];
