import { type Planted, planted, posted, strangeEntries } from './planted-errors.ts';

const DISPUTE = 'UPDATE paymount.disputes SET';
const CHARGE = 'UPDATE paymount.charges SET';
const CHARGED = 'A dispute has a succeeded charge of its account and environment.';
const NAMED = 'A charge names one of its disputes.';
const TAKEN = 'A chargeback takes its amount once in each round, and nothing else does.';
const GIVEN = 'A round that was won gives the amount back once, and no other does.';
const BOOKED = 'A dispute names the balance transactions that were booked for it.';
const EVENTS = {
  about: 'An event is about a dispute of its account and environment.',
  alerts: 'A dispute that began as an alert has one dispute.alert event, and no other has more.',
  created: 'A chargeback has a dispute.created event, and an alert has none.',
  last: 'The last event of a dispute says how the dispute stands.',
  won: 'A dispute has one dispute.won event for each time that its amount came back.',
  amount: 'An event shows the amount of its payout or dispute.',
} as const;
const ONLY = 'A charge is disputed by a chargeback only.';
const NONE = 'A charge that names a dispute has one.';
const SHAPES = {
  dispute: 'A chargeback debits available, and credits processor_clearing and fees_revenue.',
  dispute_won: 'A dispute that was won credits available, and debits processor_clearing.',
} as const;

/** Errors in disputes. */
export const DISPUTE_ERRORS: readonly Planted[] = [
  ...(['dispute', 'dispute_won'] as const).map((kind) =>
    planted(
      `a ${kind} with entries that no recipe makes`,
      ({ dispute }) => strangeEntries(posted(kind, `'${dispute}'`)),
      SHAPES[kind],
    ),
  ),
  planted(
    'a dispute without a charge',
    ({ dispute }) => `${DISPUTE} charge_id = 'ch_none' WHERE id = '${dispute}'`,
    CHARGED,
    NAMED,
    ONLY,
    NONE,
  ),
  planted(
    'a dispute in another currency',
    ({ dispute }) => `${DISPUTE} currency = 'usd' WHERE id = '${dispute}'`,
    'A dispute is in the currency of its charge.',
    'A dispute is booked in its currency.',
  ),
  planted(
    'an open chargeback of more than was captured',
    ({ dispute }) => `${DISPUTE} amount = 20000, status = 'needs_response', credit_id = NULL,
      credited_at = NULL WHERE id = '${dispute}'`,
    'Chargebacks take no more of a charge than was captured.',
    TAKEN,
    GIVEN,
    BOOKED,
    EVENTS.last,
    EVENTS.won,
    EVENTS.amount,
  ),
  planted(
    'a charge that does not name its dispute',
    ({ disputed }) => `${CHARGE} dispute_id = NULL WHERE id = '${disputed}'`,
    NAMED,
  ),
  planted(
    'a charge that names the dispute of another',
    ({ disputed }) => `${CHARGE} dispute_id = 'dp_other' WHERE id = '${disputed}'`,
    NAMED,
  ),
  planted(
    'a charge with a chargeback that is not disputed',
    ({ disputed }) => `${CHARGE} disputed = false WHERE id = '${disputed}'`,
    'A charge with a chargeback is disputed.',
  ),
  planted(
    'a chargeback of another amount than it took',
    ({ dispute }) => `${DISPUTE} amount = amount + 1 WHERE id = '${dispute}'`,
    TAKEN,
    GIVEN,
    EVENTS.amount,
  ),
  planted(
    'a dispute that was lost and gave its amount back',
    ({ dispute }) => `${DISPUTE} status = 'lost', closed_reason = 'ruling', credit_id = NULL,
      credited_at = NULL WHERE id = '${dispute}'`,
    GIVEN,
    BOOKED,
    EVENTS.last,
    EVENTS.won,
  ),
  planted(
    'a dispute whose alert was answered by an operation for something else',
    ({ dispute }) => `${DISPUTE} alert_reference = 'alert', alert_operation_id = 'op_none'
      WHERE id = '${dispute}'`,
    'The answer to an alert is a submission of evidence for its dispute.',
    EVENTS.alerts,
  ),
  planted(
    'a dispute that expired and is not past due',
    ({ dispute }) => `${DISPUTE} status = 'lost', closed_reason = 'expired', credit_id = NULL,
      credited_at = NULL WHERE id = '${dispute}'`,
    'A chargeback that was lost by its time is past due.',
    GIVEN,
    BOOKED,
    EVENTS.last,
    EVENTS.won,
  ),
  planted(
    "a dispute that names another's balance transaction",
    ({ dispute }) => `${DISPUTE} debit_id = 'txn_none' WHERE id = '${dispute}'`,
    BOOKED,
  ),
  planted(
    'an earlier round of a dispute that booked nothing',
    ({
      dispute,
    }) => `${DISPUTE} earlier_bookings = '[{"debit": {"transactionId": "txn_none", "fee": 0},
      "credit": {"transactionId": "txn_nowhere"}}]' WHERE id = '${dispute}'`,
    TAKEN,
    GIVEN,
    BOOKED,
    EVENTS.won,
  ),
  planted(
    'a dispute with another fee than it took',
    ({ dispute }) => `${DISPUTE} debit_fee = debit_fee + 1 WHERE id = '${dispute}'`,
    'A dispute shows the fee that was booked for it.',
  ),
  planted(
    'a dispute of the other environment',
    ({ dispute }) => `${DISPUTE} livemode = true WHERE id = '${dispute}'`,
    CHARGED,
    NAMED,
    ONLY,
    NONE,
    EVENTS.about,
    EVENTS.created,
    EVENTS.last,
    EVENTS.won,
    'A chargeback that a notice opened is recorded, for its account.',
    'A dispute is booked for its own account and environment.',
  ),
];
