import {
  APPROVE,
  copiedEvent,
  DECLINE,
  type Planted,
  planted,
  updated,
  yearLater,
} from './planted-errors.ts';

const { operationOf, authorizationOf } = updated;
const CHARGE = 'UPDATE paymount.charges SET';
const REFUND = 'UPDATE paymount.refunds SET';
const OPERATION = 'UPDATE paymount.operations SET';
const EVENT = 'UPDATE paymount.events SET';
const REFUNDED = 'The refunded amount of a charge is the sum of its pending and succeeded refunds.';
const BOOKED =
  'A booked refund has one balance transaction of its amount, and nothing else has one.';
const ASKED =
  'An operation asks for the amount of its charge, refund or dispute; a capture may ask for less.';
const FEE = "A processor's fee is for what the processor approved.";
const REFUND_EVENTS =
  'A charge has one charge.refunded event for each refund that succeeded, even if it was returned.';
const eventsOf = (charge: string, type: string): string =>
  `WHERE object_id = '${charge}' AND type = 'charge.${type}'`;

/** Errors in charges, and in what their processor did. */
const CHARGE_ERRORS: readonly Planted[] = [
  planted(
    'a captured amount that was never booked',
    ({ manual }) => `${CHARGE} amount_captured = amount_captured + 1 WHERE id = '${manual}'`,
    'A succeeded charge has one capture of its amount, and no other charge has any.',
    'What was captured is what the processor approved.',
  ),
  planted(
    "a charge that names another's balance transaction",
    ({ fresh, sale }) => `${CHARGE} balance_transaction_id = (SELECT balance_transaction_id
      FROM paymount.charges WHERE id = '${sale}') WHERE id = '${fresh}'`,
    'A charge names the balance transaction of its capture.',
  ),
  planted(
    'a charge in another currency than its capture',
    ({ fresh }) => `${CHARGE} currency = 'usd' WHERE id = '${fresh}'`,
    'A charge is captured in its currency.',
    'An operation asks in the currency of its charge.',
  ),
  planted(
    'a card that is shown as a bank account',
    ({ fresh }) => `${CHARGE} us_bank_account = '{}' WHERE id = '${fresh}'`,
    'The capture of a card is a charge, and that of a bank debit a payment.',
    'A charge shows a card if its payment method is one, and a bank account if it is one.',
    'A bank account is debited with a mandate.',
    'A bank debit that was submitted has one charge.pending event, and no other charge has any.',
  ),
  planted(
    'a refunded amount without a refund',
    ({ fresh }) => `${CHARGE} amount_refunded = amount_refunded + 1 WHERE id = '${fresh}'`,
    REFUNDED,
  ),
  planted(
    'refunds above what was captured',
    ({ late }) => `${REFUND} amount = 10001 WHERE id = '${late}'`,
    'The refunds of a charge sum to no more than was captured.',
    REFUNDED,
    BOOKED,
    ASKED,
  ),
  planted(
    'an approved sale of a failed charge',
    ({ declined }) => `${APPROVE} ${authorizationOf(declined)}`,
    'A charge whose sale was approved has succeeded.',
  ),
  planted(
    'an approved authorization of a failed charge',
    ({ expired }) =>
      `${CHARGE} failure = '{"code":"card_declined","message":"No."}' WHERE id = '${expired}'`,
    'A charge that was authorized stays so until it is captured, canceled or expires.',
  ),
  planted(
    'an approved capture of a canceled charge',
    ({ canceled }) => `${OPERATION} kind = 'capture' ${operationOf(canceled)}`,
    'A charge whose capture was approved has succeeded.',
    'A charge is canceled by an approved operation only.',
  ),
  planted(
    'an approved cancellation of a captured charge',
    ({ manual }) => `${OPERATION} kind = 'cancel' ${operationOf(manual)}`,
    'A charge whose cancellation was approved is canceled.',
    'A charge succeeds by an approved operation only.',
    ASKED,
  ),
  planted(
    'a succeeded charge that was declined',
    ({ sale }) => `${DECLINE} ${authorizationOf(sale)}`,
    'A charge succeeds by an approved operation only.',
  ),
  planted(
    'an authorized charge that was declined',
    ({ held }) => `${DECLINE} ${authorizationOf(held)}`,
    'A charge is authorized by an approved operation only.',
  ),
  planted(
    'a canceled charge whose cancellation was declined',
    ({ canceled }) => `${DECLINE} ${operationOf(canceled)}`,
    'A charge is canceled by an approved operation only.',
    FEE,
  ),
  planted(
    'a pending charge whose operation has failed',
    ({ open }) => `${OPERATION} state = 'failed' ${authorizationOf(open)}`,
    'A pending charge has an operation in progress.',
  ),
  planted(
    'a failed charge whose operation is under way',
    ({ declined }) => `${OPERATION} state = 'unknown' ${authorizationOf(declined)}`,
    'A charge in its final state has no operation in progress.',
  ),
];

/** Errors in times. */
const TIME_ERRORS: readonly Planted[] = [
  planted(
    'a time of capture that is off by a year',
    ({ sale }) => `${CHARGE} ${yearLater('captured_at')} WHERE id = '${sale}'`,
    'A charge was captured when its capture was booked.',
  ),
  planted(
    'a time of a refund that is off by a year',
    ({ late }) => `${REFUND} ${yearLater('created')} WHERE id = '${late}'`,
    'A refund was booked when it was made.',
  ),
  planted(
    'a line of the balance history that is off by a year',
    ({ sale }) => `UPDATE paymount.balance_transactions SET ${yearLater('created')}
      WHERE source_id = '${sale}'`,
    'A balance transaction was made when it was posted.',
    'A charge was captured when its capture was booked.',
  ),
];

/** Errors in refunds, and in what their processor did. */
const REFUND_ERRORS: readonly Planted[] = [
  planted(
    'a refund without a charge',
    ({ late }) => `${REFUND} charge_id = 'ch_none' WHERE id = '${late}'`,
    'A refund has a charge of its account and environment.',
    'An operation is for its charge, or for a refund or dispute of that charge.',
    REFUNDED,
    REFUND_EVENTS,
  ),
  planted(
    'a refund in another currency',
    ({ late }) => `${REFUND} currency = 'usd' WHERE id = '${late}'`,
    'A refund is in the currency of its charge.',
    'A refund is booked in its currency.',
  ),
  planted(
    'a refund that was never booked',
    ({ late }) => `${REFUND} balance_transaction_id = NULL WHERE id = '${late}'`,
    'A succeeded refund of a captured charge is booked.',
    BOOKED,
    REFUNDED,
    REFUND_EVENTS,
  ),
  planted(
    'a failed refund that is said to have succeeded',
    ({ failed }) => `${REFUND} status = 'succeeded', failure_reason = NULL WHERE id = '${failed}'`,
    'A refund that failed or was canceled is given back once, and no other is.',
    'A refund succeeds by an approved operation only.',
    REFUNDED,
    REFUND_EVENTS,
  ),
  planted(
    'a succeeded refund that is said to have failed',
    ({ late }) => `${REFUND} status = 'failed', failure_reason = 'x' WHERE id = '${late}'`,
    'A refund that failed or was canceled is given back once, and no other is.',
    'A refund that was approved has succeeded, unless the processor returned it later.',
    REFUNDED,
    REFUND_EVENTS,
  ),
  planted(
    "a refund that names another's balance transaction",
    ({ late }) => `${REFUND} balance_transaction_id = 'txn_none' WHERE id = '${late}'`,
    'A refund names the balance transactions that were booked for it.',
  ),
  planted(
    'a refund that is shown in the other environment',
    ({ late }) =>
      `UPDATE paymount.balance_transactions SET livemode = true WHERE source_id = '${late}'`,
    'A refund is booked for its own account and environment.',
    'A balance transaction is of the account and environment of its posting.',
  ),
  planted(
    'an approved refund that has failed',
    ({ failed }) => `${APPROVE} ${operationOf(failed)}`,
    'A refund that was approved has succeeded, unless the processor returned it later.',
  ),
  planted(
    'a succeeded refund that was declined',
    ({ late }) => `${DECLINE} ${operationOf(late)}`,
    'A refund succeeds by an approved operation only.',
    FEE,
  ),
  planted(
    'a pending refund whose operation has failed',
    ({ waiting }) => `${OPERATION} state = 'failed' ${operationOf(waiting)}`,
    'A pending refund has an operation in progress.',
  ),
  planted(
    'a failed refund whose operation is under way',
    ({ failed }) => `${OPERATION} state = 'unknown' ${operationOf(failed)}`,
    'A refund in its final state has no operation in progress.',
  ),
];

/** Errors in operations and idempotency keys. */
const OPERATION_ERRORS: readonly Planted[] = [
  planted(
    'a quarantined operation',
    ({ open }) => `${OPERATION} state = 'quarantined' ${authorizationOf(open)}`,
    'No operation is quarantined.',
  ),
  planted(
    'a result that has waited for the hook for years',
    ({ open }) =>
      `${OPERATION} state = 'unknown', review_since = created - interval '10 years' ${authorizationOf(open)}`,
    'No result waits for the hook for more than 5 minutes.',
  ),
  planted(
    'an operation that was answered after it was closed',
    ({ late }) => `${OPERATION} review_since = created ${operationOf(late)}`,
    'No operation was answered differently after it was closed, unless a person dismissed it.',
  ),
  planted(
    'an operation of the other environment',
    ({ declined }) => `${OPERATION} livemode = true ${authorizationOf(declined)}`,
    'An operation is for a charge of its account and environment.',
  ),
  planted(
    'an operation for a refund of another charge',
    ({ late, fresh }) => `${OPERATION} charge_id = '${fresh}' ${operationOf(late)}`,
    'An operation is for its charge, or for a refund or dispute of that charge.',
  ),
  planted(
    'an operation in another currency',
    ({ declined }) => `${OPERATION} currency = 'usd' ${authorizationOf(declined)}`,
    'An operation asks in the currency of its charge.',
  ),
  planted(
    'an operation for another amount',
    ({ declined }) => `${OPERATION} amount = amount + 1 ${authorizationOf(declined)}`,
    ASKED,
  ),
  planted(
    'an approval of another amount',
    ({ held }) =>
      `${OPERATION} outcome = jsonb_set(outcome, '{amount}', '1') ${authorizationOf(held)}`,
    'The processor approved what it was asked for, or a person settled it for less.',
  ),
  planted(
    'an operation that failed though it was approved',
    ({ fresh }) => `${OPERATION} state = 'failed' ${authorizationOf(fresh)}`,
    'An operation that failed was not approved.',
    'A charge succeeds by an approved operation only.',
  ),
  planted(
    'an operation for another processor',
    ({ fresh }) => `${OPERATION} processor = 'other' ${authorizationOf(fresh)}`,
    'An operation is for the processor of its charge or payout.',
  ),
  planted(
    'an operation that is done, and nobody knows how',
    ({ declined }) => `${OPERATION} outcome = NULL ${authorizationOf(declined)}`,
    'An operation that is done has an outcome.',
  ),
  planted(
    'an idempotency key of an operation that does not exist',
    () => `UPDATE paymount.idempotency_keys SET operation_id = 'op_none' WHERE key = 'k-fresh'`,
    'The operation of an idempotency key exists, and was asked for under that key.',
  ),
];

/** Errors in events. */
const EVENT_ERRORS: readonly Planted[] = [
  planted(
    'an event about nothing',
    ({ sale }) => `${EVENT} object_id = 'ch_none' ${eventsOf(sale, 'refunded')}`,
    'An event is about a charge of its account and environment.',
    REFUND_EVENTS,
  ),
  planted(
    'a sale without its event',
    ({ sale }) => `DELETE FROM paymount.events ${eventsOf(sale, 'succeeded')}`,
    'A charge that was captured at once has one charge.succeeded event, and no other has any.',
  ),
  planted(
    'a sale with two events',
    ({ sale }) => copiedEvent(eventsOf(sale, 'succeeded'), '1'),
    'A charge that was captured at once has one charge.succeeded event, and no other has any.',
  ),
  planted(
    'a later capture without its event',
    ({ manual }) => `DELETE FROM paymount.events ${eventsOf(manual, 'captured')}`,
    'A charge that was captured later has one charge.captured event, and no other has any.',
  ),
  planted(
    'a failed charge without its event',
    ({ expired }) => `DELETE FROM paymount.events ${eventsOf(expired, 'failed')}`,
    'A failed charge has one charge.failed event, and no other has any.',
  ),
  planted(
    'a refund without its event',
    ({ sale }) => `DELETE FROM paymount.events ${eventsOf(sale, 'refunded')}`,
    REFUND_EVENTS,
  ),
  planted(
    'a submitted bank debit without its event',
    ({ debit }) => `DELETE FROM paymount.events ${eventsOf(debit, 'pending')}`,
    'A bank debit that was submitted has one charge.pending event, and no other charge has any.',
  ),
  planted(
    'an event of a type that charges do not have',
    ({
      sale,
    }) => `${EVENT} type = 'charge.given', body = replace(body, 'charge.refunded', 'charge.given')
      ${eventsOf(sale, 'refunded')}`,
    'An event of a charge is of a type that charges have.',
    REFUND_EVENTS,
  ),
  planted(
    'an event of a version that its charge never had',
    ({ sale }) => `${EVENT} object_version = 99 ${eventsOf(sale, 'succeeded')}`,
    'An event is of no later version than its charge.',
  ),
  planted(
    'an event that shows another charge',
    ({ sale, fresh }) =>
      `${EVENT} body = replace(body, '${sale}', '${fresh}') ${eventsOf(sale, 'succeeded')}`,
    'An event says its id and type, and shows its charge.',
  ),
  planted(
    'an event that shows another amount',
    ({ sale }) =>
      `${EVENT} body = replace(body, '"amount":10000', '"amount":1') ${eventsOf(sale, 'succeeded')}`,
    'An event shows the amount of its charge.',
  ),
];

/** An endpoint with a delivery that is right, and one that is not. */
const delivered = (event: string, endpoint: string): string => `WITH right_event AS (
    SELECT * FROM paymount.events ORDER BY id LIMIT 1),
  right_endpoint AS (
    INSERT INTO paymount.webhook_endpoints (id, account_id, livemode, version, url, enabled_events,
      metadata, api_version, status, secret_version, created)
    SELECT 'we_1', account_id, livemode, 1, 'https://hooks.example.com', '{*}', '{}', api_version,
      'enabled', 1, created FROM right_event)
  INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
    origin, state, attempt, due_at, created)
  SELECT v.account_id, v.livemode, d.id, d.event_id, d.endpoint_id, v.type, 'event', 'pending', 1,
    v.created, v.created
  FROM right_event v, LATERAL (VALUES ('dlv_1', v.id, 'we_1'), ('dlv_2', ${event}, ${endpoint}))
    AS d (id, event_id, endpoint_id)`;

/** Errors in deliveries. */
const DELIVERY_ERRORS: readonly Planted[] = [
  planted(
    'a delivery of no event',
    () => delivered("'evt_none'", "'we_1'"),
    'A delivery is of an event of its account and environment.',
  ),
  planted(
    'a delivery to no endpoint',
    () => delivered('v.id', "'we_none'"),
    'A delivery goes to an endpoint of its account and environment.',
  ),
  planted(
    'a delivery of another type than its event',
    () => delivered('v.id', "'we_none'").replace('v.type', "'charge.given'"),
    'A delivery has the type of its event.',
    'A delivery goes to an endpoint of its account and environment.',
  ),
  planted(
    'a delivery of an expunged event that waits',
    () => `WITH gone AS (
        UPDATE paymount.events SET body = NULL, expunged_at = created
        WHERE id = (SELECT min(id) FROM paymount.events) RETURNING *),
      endpoint AS (
        INSERT INTO paymount.webhook_endpoints (id, account_id, livemode, version, url,
          enabled_events, metadata, api_version, status, secret_version, created)
        SELECT 'we_1', account_id, livemode, 1, 'https://hooks.example.com', '{*}', '{}',
          api_version, 'enabled', 1, created FROM gone)
      INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
        origin, state, attempt, due_at, created)
      SELECT account_id, livemode, 'dlv_1', id, 'we_1', type, 'event', 'pending', 1, created, created
      FROM gone`,
    'A delivery that waits is of an event that is not expunged.',
  ),
];

export const STATE_ERRORS = [
  ...CHARGE_ERRORS,
  ...TIME_ERRORS,
  ...REFUND_ERRORS,
  ...OPERATION_ERRORS,
  ...EVENT_ERRORS,
  ...DELIVERY_ERRORS,
];
