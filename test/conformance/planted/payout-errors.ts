import {
  copiedEvent,
  type Planted,
  planted,
  posted,
  strangeEntries,
  toLine,
  yearLater,
} from './planted-errors.ts';

const PAYOUT = 'UPDATE paymount.payouts SET';
const OPERATION = 'UPDATE paymount.operations SET';
const SHAPES = {
  payout: 'A payout debits available, and credits payouts_in_transit.',
  payout_paid: 'A payout that is paid debits payouts_in_transit, and credits bank.',
  payout_failed:
    'A payout that failed or was canceled debits payouts_in_transit, and credits available.',
  payout_returned: 'A payout that was returned debits bank, and credits available.',
} as const;
const TAKEN = 'A payout took its amount from the balance once.';
const GIVEN = 'A payout that failed or was canceled gave its amount back once, and no other did.';
const NAMED = 'A payout names the balance transaction that gave it back.';
const HANDED =
  'A payout that is paid was handed to the bank, and no payout that is on its way or canceled was.';
const HANDED_AMOUNT = 'What was handed to a bank is the amount of a payout.';
const PAID_EVENTS =
  'A payout that was handed to the bank has one payout.paid event, and no other has any.';
const FAILED_EVENTS = 'A failed payout has one payout.failed event, and no other has any.';
const eventsOf = (payout: string): string => `WHERE object_id = '${payout}'`;

const AMOUNT = 'An event shows the amount of its payout or dispute.';
const GIVEN_AS =
  'A payout that failed was given back as a failure, and a canceled one as a cancellation.';
const APPROVED = 'A payout is paid by an approved operation only.';

/** Errors in the operations of payouts. */
const OPERATION_ERRORS: readonly Planted[] = [
  planted(
    'a paid payout whose operation is gone',
    ({ paidOut }) => `DELETE FROM paymount.operations WHERE subject_id = '${paidOut}'`,
    APPROVED,
  ),
  planted(
    'a paid payout whose operation was rejected',
    ({ paidOut }) => `${OPERATION} state = 'failed',
      outcome = '{"outcome":"rejected","code":"x","message":"No."}' WHERE subject_id = '${paidOut}'`,
    APPROVED,
  ),
  planted(
    'an operation for a payout that is not there',
    ({ paidOut }) => `${OPERATION} subject_id = 'po_none' WHERE subject_id = '${paidOut}'`,
    'An operation for a payout is for one of its account and environment.',
    APPROVED,
  ),
  planted(
    'a payout that was sent to another processor',
    ({ paidOut }) => `${OPERATION} processor = 'other' WHERE subject_id = '${paidOut}'`,
    'An operation is for the processor of its charge or payout.',
  ),
];

/** Errors in what payouts book, and where they go. */
const BOOKING_ERRORS: readonly Planted[] = [
  planted(
    'a payout that handed over one cent more',
    ({ paidOut }) => `UPDATE paymount.ledger_entry SET amount = amount + sign(amount)
      WHERE transaction_id = ${posted('payout_paid', `'${paidOut}'`)}`,
    HANDED_AMOUNT,
  ),
  planted(
    'a payout that was handed over for another',
    ({ paidOut }) => `UPDATE paymount.ledger_transaction SET source_id = 'po_none'
      WHERE id = ${posted('payout_paid', `'${paidOut}'`)}`,
    HANDED_AMOUNT,
    HANDED,
    PAID_EVENTS,
  ),
  planted(
    'a time of a payout that is off by a year',
    ({ paidOut }) => `${PAYOUT} ${yearLater('created')} WHERE id = '${paidOut}'`,
    'A payout was booked when it was made.',
  ),
  planted(
    'a failed payout that was given back as canceled',
    ({ refusedPayout }) => `UPDATE paymount.balance_transactions SET type = 'payout_cancel'
      WHERE source_id = '${refusedPayout}' AND type = 'payout_failure'`,
    GIVEN_AS,
  ),
  planted(
    'a payout whose bank account is gone',
    ({ paidOut }) => `DELETE FROM paymount.bank_accounts WHERE id =
      (SELECT destination_id FROM paymount.payouts WHERE id = '${paidOut}')`,
    'A payout goes to a bank account of its account, environment and currency.',
  ),
  planted(
    'a payout whose row is gone',
    ({ paidOut }) => `DELETE FROM paymount.payouts WHERE id = '${paidOut}'`,
    TAKEN,
    HANDED_AMOUNT,
    'An operation for a payout is for one of its account and environment.',
    'An event is about a payout of its account and environment.',
  ),
];

/** Errors in payouts. */
export const PAYOUT_ERRORS: readonly Planted[] = [
  ...(['payout', 'payout_paid', 'payout_failed'] as const).map((kind) =>
    planted(
      `a ${kind} with entries that no recipe makes`,
      ({ paidOut, refusedPayout }) =>
        strangeEntries(posted(kind, `'${kind === 'payout_failed' ? refusedPayout : paidOut}'`)),
      SHAPES[kind],
    ),
  ),
  planted(
    'a return that no bank sent',
    ({ refusedPayout }) => `UPDATE paymount.ledger_transaction SET kind = 'payout_returned'
      WHERE id = ${posted('payout_failed', `'${refusedPayout}'`)}`,
    SHAPES.payout_returned,
  ),
  planted(
    'a payout of another amount than it took',
    ({ paidOut }) => `${PAYOUT} amount = amount + 1 WHERE id = '${paidOut}'`,
    TAKEN,
    HANDED_AMOUNT,
    AMOUNT,
    'An operation asks for the amount and currency of its payout.',
  ),
  planted(
    'an operation for more than its payout',
    ({
      paidOut,
    }) => `${OPERATION} amount = amount + 1, outcome = outcome || jsonb_build_object('amount', amount + 1)
      WHERE subject_id = '${paidOut}'`,
    'An operation asks for the amount and currency of its payout.',
  ),
  planted(
    "a payout that names another's balance transaction",
    ({
      paidOut,
      refusedPayout,
    }) => `${PAYOUT} balance_transaction_id = ${toLine(refusedPayout, 'payout')}
      WHERE id = '${paidOut}'`,
    'A payout names its balance transaction.',
  ),
  planted(
    'a payout that came back without its balance transaction',
    ({ refusedPayout }) => `${PAYOUT} failure_balance_transaction_id = 'txn_none'
      WHERE id = '${refusedPayout}'`,
    NAMED,
  ),
  planted(
    'a failed payout that counts as canceled',
    ({ refusedPayout }) => `${PAYOUT} status = 'canceled', failure_code = NULL
      WHERE id = '${refusedPayout}'`,
    FAILED_EVENTS,
    GIVEN_AS,
  ),
  planted(
    'a failed payout that counts as paid',
    ({ refusedPayout }) => `${PAYOUT} status = 'paid', failure_code = NULL,
      failure_balance_transaction_id = NULL WHERE id = '${refusedPayout}'`,
    GIVEN,
    NAMED,
    HANDED,
    APPROVED,
    FAILED_EVENTS,
  ),
  planted(
    'an approved payout that is still on its way',
    ({ paidOut }) => `${PAYOUT} status = 'in_transit' WHERE id = '${paidOut}'`,
    HANDED,
    'A payout that the processor approved is paid or was returned.',
    'A payout on its way has an operation that is open or waits for a person.',
  ),
  planted(
    'a payout to the bank account of another currency',
    ({ paidOut }) => `UPDATE paymount.bank_accounts SET currency = 'usd' WHERE id =
      (SELECT destination_id FROM paymount.payouts WHERE id = '${paidOut}')`,
    'A payout goes to a bank account of its account, environment and currency.',
  ),
  planted(
    'an event of a payout that is not there',
    ({ paidOut }) => `UPDATE paymount.events SET object_id = 'po_none' ${eventsOf(paidOut)}`,
    'An event is about a payout of its account and environment.',
    'An event says its id and type, and shows its payout or dispute.',
    PAID_EVENTS,
  ),
  planted(
    'a paid payout without its event',
    ({ paidOut }) => `DELETE FROM paymount.events ${eventsOf(paidOut)}`,
    PAID_EVENTS,
  ),
  planted(
    'a payout that failed twice',
    ({ refusedPayout }) => copiedEvent(eventsOf(refusedPayout), '1'),
    FAILED_EVENTS,
  ),
  planted(
    'an event that shows another amount of a payout',
    ({ paidOut }) =>
      `UPDATE paymount.events SET body = replace(body, '"amount":500', '"amount":5') ${eventsOf(paidOut)}`,
    AMOUNT,
  ),
  ...OPERATION_ERRORS,
  ...BOOKING_ERRORS,
];
