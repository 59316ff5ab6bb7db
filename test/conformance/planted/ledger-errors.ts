import {
  entriesOn,
  type Planted,
  planted,
  posted,
  strangeEntries,
  toLine,
} from './planted-errors.ts';

const MOVED = 'Funds are moved to available exactly when their balance transaction says so.';
const LINE = 'A posting that moves money shows in the balance history.';
const STAYS = 'A ledger transaction stays within one account, environment and currency.';
const TOLD = "A processor's fee is what the processor told.";
const feeOf = (charge: string): string => posted('processor_fee', `'${charge}'`);
const captureOf = (charge: string): string => posted('capture', `'${charge}'`);
const releaseOf = (charge: string): string => posted('availability', toLine(charge, 'charge'));
const ENTRY = 'UPDATE paymount.ledger_entry SET';
const TRANSACTION = 'UPDATE paymount.ledger_transaction SET';
const LINES = 'UPDATE paymount.balance_transactions SET';
const ACCOUNT = 'UPDATE paymount.ledger_account SET';
const dollars = (code: string): string =>
  `(SELECT id FROM paymount.ledger_account WHERE code = '${code}' AND currency = 'usd')`;

/** Errors in ledger transactions and their entries. */
const POSTING_ERRORS: readonly Planted[] = [
  planted(
    'an entry of one cent less',
    ({ withFee }) =>
      `${ENTRY} amount = amount - 1 WHERE ${entriesOn('processor_fees', feeOf(withFee))}`,
    'The entries of a ledger transaction sum to zero.',
    TOLD,
  ),
  planted(
    'a ledger transaction without entries',
    ({ withFee }) => `DELETE FROM paymount.ledger_entry WHERE transaction_id = ${feeOf(withFee)}`,
    'A ledger transaction has entries.',
  ),
  planted(
    'entries without their ledger transaction',
    ({ withFee }) => `DELETE FROM paymount.ledger_transaction WHERE id = ${feeOf(withFee)}`,
    'Entries belong to a ledger transaction.',
  ),
  planted(
    'a ledger transaction in two currencies',
    ({ withFee }) => `${ENTRY} currency = 'usd', ledger_account_id = ${dollars('processor_fees')}
      WHERE ${entriesOn('processor_fees', feeOf(withFee))}`,
    STAYS,
  ),
  planted(
    'a ledger transaction of the other environment',
    ({ withFee }) => `${TRANSACTION} livemode = true WHERE id = ${feeOf(withFee)}`,
    STAYS,
    "A processor's fee is for what the processor approved.",
  ),
  planted(
    'an entry in another currency than its ledger account',
    ({ withFee }) =>
      `${ENTRY} currency = 'usd' WHERE ${entriesOn('processor_fees', feeOf(withFee))}`,
    'An entry has the account, environment and currency of its ledger account.',
  ),
  planted(
    'a ledger transaction of a foreign kind',
    ({ withFee }) => `${TRANSACTION} kind = 'gift' WHERE id = ${feeOf(withFee)}`,
    'A ledger transaction is of a kind that Paymount books.',
  ),
  planted(
    'a capture that books on other ledger accounts too',
    ({ sale }) => strangeEntries(captureOf(sale)),
    'A capture debits processor_clearing, and credits pending and fees_revenue.',
  ),
  planted(
    'a fee of the processor that was booked backwards',
    ({ withFee }) => `${ENTRY} amount = -amount WHERE transaction_id = ${feeOf(withFee)}`,
    "A processor's fee debits processor_fees, and credits processor_clearing.",
    TOLD,
  ),
  planted(
    'a refund that books on other ledger accounts too',
    ({ late }) => strangeEntries(posted('refund', `'${late}'`)),
    'A refund debits either pending or available, and credits processor_clearing.',
  ),
  planted(
    'a failed refund that books on other ledger accounts too',
    ({ failed }) => strangeEntries(posted('refund_failure', `'${failed}'`)),
    'A failed refund credits either pending or available, and debits processor_clearing.',
  ),
  planted(
    'released funds that book on other ledger accounts too',
    ({ sale }) => strangeEntries(releaseOf(sale)),
    'Funds become available from pending to available, and on no other ledger account.',
  ),
  planted(
    'a fee of the processor for no charge',
    ({ withFee }) => `${TRANSACTION} source_id = 'ch_none' WHERE id = ${feeOf(withFee)}`,
    "A processor's fee is for what the processor approved.",
  ),
];

const oneMore = (fee: string): string =>
  `${ENTRY} amount = amount + sign(amount) WHERE transaction_id = ${fee}`;
const authorizationOf = (charge: string): string =>
  `(SELECT id FROM paymount.operations WHERE charge_id = '${charge}' AND kind = 'authorize')`;
const refundOf = (charge: string): string =>
  `(SELECT id FROM paymount.refunds WHERE charge_id = '${charge}')`;

/** Fees of the processor that balance, and are not what it told. */
const FEE_ERRORS: readonly Planted[] = [
  planted('a fee of a sale of one cent more', ({ withFee }) => oneMore(feeOf(withFee)), TOLD),
  planted(
    'a fee of a later capture of one cent more',
    ({ manual }) => oneMore(feeOf(manual)),
    TOLD,
  ),
  planted(
    'a fee of an authorization of one cent more',
    ({ manual }) => oneMore(posted('processor_fee', authorizationOf(manual))),
    TOLD,
  ),
  planted('a fee of a refund of one cent more', ({ late }) => oneMore(feeOf(late)), TOLD),
  planted(
    'a fee of a cancellation of one cent more',
    ({ canceled }) => oneMore(feeOf(canceled)),
    TOLD,
  ),
  planted(
    'a fee of a void of one cent more',
    ({ voided }) => oneMore(posted('processor_fee', refundOf(voided))),
    TOLD,
  ),
  planted(
    'a fee of a sale whose processor told of none',
    ({ withFee }) =>
      `UPDATE paymount.operations SET outcome = outcome - 'fee' WHERE charge_id = '${withFee}'`,
    TOLD,
  ),
];

/** Errors in what merchants see of the ledger. */
const LINE_ERRORS: readonly Planted[] = [
  planted(
    'a refund that the balance history does not show',
    ({ late }) => `DELETE FROM paymount.balance_transactions WHERE source_id = '${late}'`,
    LINE,
    'A booked refund has one balance transaction of its amount, and nothing else has one.',
  ),
  planted(
    'a refund that is shown, and was posted for another',
    ({ late }) =>
      `${TRANSACTION} source_id = 're_none' WHERE id = ${posted('refund', `'${late}'`)}`,
    LINE,
    'A balance transaction has its posting.',
  ),
  planted(
    'a shown fee of one cent more',
    ({ fresh }) => `${LINES} fee = fee + 1, fee_details = jsonb_set(fee_details, '{0,amount}', '31')
      WHERE source_id = '${fresh}'`,
    'A balance transaction has the amount and the fee of its posting.',
  ),
  planted(
    'a shown amount in another currency',
    ({ fresh }) => `${LINES} currency = 'usd' WHERE source_id = '${fresh}'`,
    'A balance transaction is in the currency of its posting.',
    'A charge is captured in its currency.',
  ),
  planted(
    'a capture that is shown in the other environment',
    ({ fresh }) => `${LINES} livemode = true WHERE source_id = '${fresh}'`,
    'A balance transaction is of the account and environment of its posting.',
    'A charge is captured for its own account and environment.',
  ),
  planted(
    'a shown day of availability that was never booked',
    ({ fresh }) =>
      `${LINES} available_on = available_on + interval '1 day' WHERE source_id = '${fresh}'`,
    'A balance transaction becomes available when its posting says.',
  ),
  planted(
    'a fee whose parts sum to less',
    ({ fresh }) =>
      `${LINES} fee_details = jsonb_set(fee_details, '{0,amount}', '1') WHERE source_id = '${fresh}'`,
    'The parts of a fee sum to it.',
  ),
  planted(
    'funds that are said to be available, and were not moved',
    ({ fresh }) => `${LINES} status = 'available' WHERE source_id = '${fresh}'`,
    MOVED,
  ),
  planted(
    'funds that were moved, and are said to be pending',
    ({ sale }) => `${LINES} status = 'pending' WHERE source_id = '${sale}'`,
    MOVED,
  ),
  planted(
    'a refund of available funds that is said to be pending',
    ({ late }) => `${LINES} status = 'pending' WHERE source_id = '${late}'`,
    'What was booked on available is available at once.',
  ),
  planted(
    'funds that were released twice over',
    ({ sale }) => `${ENTRY} amount = 2 * amount WHERE transaction_id = ${releaseOf(sale)}`,
    'What becomes available is the net of its balance transaction.',
    'The balance of a limited ledger account is what its entries sum to.',
  ),
  planted(
    'funds that were released for nothing',
    ({ sale }) => `${TRANSACTION} source_id = 'txn_none' WHERE id = ${releaseOf(sale)}`,
    'What becomes available has its balance transaction.',
    MOVED,
  ),
  planted(
    'funds that were released in the other environment',
    ({ sale }) => `${TRANSACTION} livemode = true WHERE id = ${releaseOf(sale)}`,
    STAYS,
    'Funds become available in the account, environment and currency they were booked in.',
  ),
];

/** Errors in balances. */
const BALANCE_ERRORS: readonly Planted[] = [
  ...['pending', 'available', 'reserved'].map((code) =>
    planted(
      `one cent more in ${code}`,
      () => `${ACCOUNT} balance = balance + 1 WHERE code = '${code}' AND currency = 'eur'`,
      'The balance of a limited ledger account is what its entries sum to.',
    ),
  ),
  planted(
    'one cent more that waits to be folded',
    () => `INSERT INTO paymount.ledger_tail (ledger_account_id, amount)
      SELECT id, 1 FROM paymount.ledger_account WHERE code = 'pending' AND currency = 'eur'`,
    'The balance of a limited ledger account is what its entries sum to.',
  ),
  planted(
    'a cent that waits to be folded where there is no balance',
    () => `INSERT INTO paymount.ledger_tail (ledger_account_id, amount)
      SELECT id, 1 FROM paymount.ledger_account WHERE code = 'bank' AND currency = 'eur'`,
    'What is posted and not folded yet is for a limited ledger account.',
  ),
  planted(
    'a cent that is pending of no bank debit',
    () => `INSERT INTO paymount.pending_bank_funds (account_id, livemode, currency, amount)
      SELECT account_id, livemode, currency, 1 FROM paymount.ledger_account
      WHERE code = 'pending' AND currency = 'eur' LIMIT 1`,
    'What is pending of bank debits is the sum of their pending balance transactions.',
  ),
  planted(
    'a debt that is higher than needed',
    () => `${ACCOUNT} debt = debt + 1 WHERE code = 'available' AND currency = 'usd'`,
    'The debt of a ledger account is what its balance is below zero, and only available has any.',
  ),
  planted(
    'a balance on a ledger account that is summed from entries',
    () => `${ACCOUNT} balance = 0 WHERE code = 'losses' AND currency = 'eur'`,
    'Limited ledger accounts carry a balance, and no others do.',
  ),
  planted(
    'a ledger account that is not in the chart',
    () => `${ACCOUNT} code = 'gifts' WHERE code = 'losses' AND currency = 'eur'`,
    'A ledger account is one of the chart.',
  ),
  planted(
    'a ledger that lacks a ledger account',
    () => `DELETE FROM paymount.ledger_account WHERE code = 'losses' AND currency = 'eur'`,
    'A ledger has the nine ledger accounts of the chart.',
  ),
];

export const LEDGER_ERRORS = [...POSTING_ERRORS, ...FEE_ERRORS, ...LINE_ERRORS, ...BALANCE_ERRORS];
