import { copiedEvent, type Planted, planted } from './planted-errors.ts';

const DISPUTE = 'UPDATE paymount.disputes SET';
const EVENT = 'UPDATE paymount.events SET';
const ABOUT = 'An event is about a dispute of its account and environment.';
const ALERTS =
  'A dispute that began as an alert has one dispute.alert event, and no other has more.';
const CREATED = 'A chargeback has a dispute.created event, and an alert has none.';
const BEGINS = 'The events of a dispute begin with its alert or its chargeback.';
const LAST = 'The last event of a dispute says how the dispute stands.';
const WON = 'A dispute has one dispute.won event for each time that its amount came back.';
const REPEATED = 'A dispute is an alert once, and is not lost or won twice in a row.';
const LATER = 'A dispute that was opened again, or lost what it had won, is in a later round.';
const AMOUNT = 'An event shows the amount of its payout or dispute.';
const VERSION = 'An event is of no later version than its payout or dispute.';
const ROUNDS = 'A dispute books only rounds that it has reached.';
const eventOf = (dispute: string, type: string): string =>
  `WHERE object_id = '${dispute}' AND type = 'dispute.${type}'`;

/** Errors in the events of disputes, and in what their rounds booked. */
export const DISPUTE_EVENT_ERRORS: readonly Planted[] = [
  planted(
    'a chargeback without the event of its opening',
    ({ dispute }) => `DELETE FROM paymount.events ${eventOf(dispute, 'created')}`,
    CREATED,
    BEGINS,
  ),
  planted(
    'a dispute that was won without its event',
    ({ dispute }) => `DELETE FROM paymount.events ${eventOf(dispute, 'won')}`,
    WON,
    LAST,
  ),
  planted(
    'a dispute that was accepted without its event',
    ({ accepted }) => `DELETE FROM paymount.events ${eventOf(accepted, 'lost')}`,
    LAST,
  ),
  planted(
    'a chargeback that was opened twice',
    ({ dispute }) => copiedEvent(eventOf(dispute, 'created'), '2'),
    LATER,
  ),
  planted(
    'a dispute that was won twice',
    ({ dispute }) => copiedEvent(eventOf(dispute, 'won'), '1'),
    WON,
    REPEATED,
  ),
  planted(
    'a dispute that was lost twice',
    ({ accepted }) => copiedEvent(eventOf(accepted, 'lost'), '1'),
    REPEATED,
  ),
  planted(
    'a chargeback that says it was an alert',
    ({ dispute }) => `${DISPUTE} alert_reference = 'alert' WHERE id = '${dispute}'`,
    ALERTS,
  ),
  planted(
    'an event that shows another amount of a dispute',
    ({ dispute }) =>
      `${EVENT} body = replace(body, '"amount":10000', '"amount":1') ${eventOf(dispute, 'created')}`,
    AMOUNT,
  ),
  planted(
    'an event that shows another dispute',
    ({ dispute, accepted }) =>
      `${EVENT} body = replace(body, '${dispute}', '${accepted}') ${eventOf(dispute, 'won')}`,
    'An event says its id and type, and shows its payout or dispute.',
  ),
  planted(
    'an event about a dispute that is not there',
    ({ dispute }) => `${EVENT} object_id = 'dp_none',
      body = replace(body, '${dispute}', 'dp_none') ${eventOf(dispute, 'won')}`,
    ABOUT,
    WON,
    LAST,
  ),
  planted(
    'an event of a version that its dispute never had',
    ({ dispute }) => `${EVENT} object_version = 99 ${eventOf(dispute, 'won')}`,
    VERSION,
  ),
  planted(
    'an event of a type that nobody knows',
    ({ dispute }) => `${EVENT} type = 'dispute.settled',
      body = replace(body, 'dispute.won', 'dispute.settled') ${eventOf(dispute, 'won')}`,
    'An event is of a type that Paymount records.',
    WON,
    LAST,
  ),
  planted(
    'an accepted dispute that is open',
    ({ accepted }) => `${DISPUTE} status = 'needs_response', closed_reason = NULL
      WHERE id = '${accepted}'`,
    'A chargeback that was accepted is open only in a later round, or if a person has opened it.',
    LAST,
  ),
  planted(
    'a dispute that was won in a later round than it has reached',
    ({ dispute }) => `${DISPUTE} won_round = 2 WHERE id = '${dispute}'`,
    ROUNDS,
  ),
  planted(
    'money of a round that a dispute has not reached',
    ({
      dispute,
    }) => `WITH posted AS (UPDATE paymount.ledger_transaction SET kind = 'dispute_round_2'
        WHERE source_id = '${dispute}' AND kind = 'dispute')
      UPDATE paymount.balance_transactions SET type = 'dispute_round_2'
      WHERE source_id = '${dispute}' AND type = 'dispute'`,
    ROUNDS,
  ),
  ...(['debited_at', 'credited_at'] as const).map((column) =>
    planted(
      `a dispute whose ${column} is off by a year`,
      ({ dispute }) =>
        `${DISPUTE} ${column} = ${column} - interval '1 year' WHERE id = '${dispute}'`,
      'A dispute took and gave back its amount when that was booked.',
    ),
  ),
  planted(
    'a disputed charge that nobody disputes',
    ({ sale }) => `UPDATE paymount.charges SET disputed = true WHERE id = '${sale}'`,
    'A charge is disputed by a chargeback only.',
  ),
  planted(
    'a charge that names a dispute and has none',
    ({ sale }) => `UPDATE paymount.charges SET dispute_id = 'dp_none' WHERE id = '${sale}'`,
    'A charge that names a dispute has one.',
  ),
  planted(
    'a chargeback under another reference than its processor told',
    ({ dispute }) => `${DISPUTE} processor_reference = 'other' WHERE id = '${dispute}'`,
    'A chargeback that a notice opened is recorded, for its account.',
  ),
  planted(
    'a notice about an operation that is not there',
    () => `UPDATE paymount.notices SET found_id = 'op_none' WHERE kind = 'dispute.closed'`,
    'A notice that was applied is about an operation of its account and environment.',
  ),
];
