import { type Planted, planted, strangeEntries } from './planted-errors.ts';

const MARKED = 'UPDATE paymount.balance_transactions SET payout_id =';
const RUN = 'UPDATE paymount.payout_runs SET payout_id =';
const LINE = 'UPDATE paymount.settlement_lines SET';
const AUTOMATIC = '(SELECT id FROM paymount.payouts WHERE period IS NOT NULL)';
const ONE_CHARGE = `WHERE id = (SELECT min(id) FROM paymount.balance_transactions
  WHERE type = 'charge' AND payout_id IS NOT NULL)`;
const SUM = 'An automatic payout is the sum of what it contains.';
const BROUGHT = 'A settlement line of an operation brought the bank its amount less its fee, once.';
const NAMES = 'A settlement line is about the operation that it names, of its charge.';
const FEES =
  'The fees that settlement lines of a charge or refund tell are booked, or a person has settled it.';
const onlyOne = (kind: string): string =>
  `(SELECT id FROM paymount.ledger_transaction WHERE kind = '${kind}')`;

const ADJUSTED = `WHERE action = 'adjustment.create' AND after ->> 'kind' = 'reserve'`;

/** After all that was booked. */
const LATER = `(SELECT max(created) + interval '1 day' FROM paymount.ledger_transaction)`;

/** Errors in adjustments, and in what the audit log says of them. */
const ADJUSTMENT_ERRORS: readonly Planted[] = [
  planted(
    'an adjustment without its audit entry',
    () => `DELETE FROM paymount.audit_log ${ADJUSTED}`,
    'An adjustment has its audit entry.',
  ),
  planted(
    'an audit entry of an adjustment that was never booked',
    () => `INSERT INTO paymount.audit_log SELECT (jsonb_populate_record(a,
        '{"id":"audit_2","target":"adj_none","seq":999}')).* FROM paymount.audit_log a ${ADJUSTED}`,
    'An adjustment that the audit log names was booked.',
  ),
  planted(
    'an adjustment of another amount than its audit entry says',
    () => `UPDATE paymount.audit_log SET after = jsonb_set(after, '{amount}', '1') ${ADJUSTED}`,
    'An adjustment is what its audit entry says.',
  ),
  planted(
    'a write-off without a debt',
    ({ sale }) => `WITH ledger AS (SELECT a.account_id, a.livemode, a.currency, a.id, a.code
          FROM paymount.ledger_account a JOIN paymount.charges c
          ON (c.account_id, c.livemode, c.currency) = (a.account_id, a.livemode, a.currency)
          WHERE c.id = '${sale}' AND a.code IN ('available', 'losses')),
        owner AS (SELECT * FROM ledger WHERE code = 'losses'),
        posted AS (INSERT INTO paymount.ledger_transaction
            (id, account_id, livemode, kind, source_id, available_on, created)
          SELECT 'ltx_2', account_id, livemode, 'write_off', 'adj_2', ${LATER}, ${LATER} FROM owner),
        shown AS (INSERT INTO paymount.balance_transactions (id, account_id, livemode, type, source_id,
            amount, fee, fee_details, currency, status, available_on, created)
          SELECT 'txn_2', account_id, livemode, 'write_off', 'adj_2', 5, 0, '[]', currency, 'available',
            ${LATER}, ${LATER} FROM owner),
        kept AS (UPDATE paymount.ledger_account SET balance = balance + 5
          WHERE id = (SELECT id FROM ledger WHERE code = 'available')),
        audited AS (INSERT INTO paymount.audit_log SELECT (jsonb_populate_record(a,
            '{"id":"audit_2","target":"adj_2","seq":999,
              "after":{"kind":"write_off","amount":5,"currency":"eur"}}')).*
          FROM paymount.audit_log a ${ADJUSTED})
      INSERT INTO paymount.ledger_entry
        (ledger_account_id, transaction_id, account_id, livemode, currency, amount)
      SELECT id, 'ltx_2', account_id, livemode, currency, CASE code WHEN 'losses' THEN 5 ELSE -5 END
      FROM ledger`,
    'A write-off ends a debt that the balance had.',
  ),
];

/** Errors in automatic payouts, adjustments and settlements. */
export const SETTLEMENT_ERRORS: readonly Planted[] = [
  ...ADJUSTMENT_ERRORS,
  planted(
    'an automatic payout of another amount than its parts',
    () => `UPDATE paymount.payouts SET amount = amount + 1 WHERE period IS NOT NULL`,
    SUM,
    'A payout took its amount from the balance once.',
    'What was handed to a bank is the amount of a payout.',
    'An event shows the amount of its payout or dispute.',
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
    'A settlement line has an amount that its charge or refund moved or another line takes back, or a person has settled it.',
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
    'a settlement line that was moved to another charge',
    ({ bought }) => `${LINE} charge_id = '${bought}', found_id = (SELECT id FROM paymount.operations
      WHERE charge_id = '${bought}')`,
    NAMES,
  ),
  planted(
    'a settlement line of an operation of another charge',
    ({ bought }) => `${LINE} charge_id = '${bought}'`,
    NAMES,
  ),
  planted(
    'a settlement line that was moved to another account',
    () => `${LINE} account_id = (SELECT account_id FROM paymount.payouts WHERE period IS NOT NULL)`,
    NAMES,
    'A settlement line is booked for the account, environment and currency of its operation.',
    "A processor's fee is for what the processor approved.",
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
          WHERE source_id = '${manual}' RETURNING id),
        posted AS (UPDATE paymount.ledger_transaction SET created = '2020-02-01'
          WHERE source_id = '${manual}' AND kind = 'capture' RETURNING id)
      UPDATE paymount.charges SET created = '2020-02-01', captured_at = '2020-02-01'
      WHERE id = '${manual}'`,
    'What a charge moved is settled a week after it last changed, or a person has settled it.',
  ),
];
