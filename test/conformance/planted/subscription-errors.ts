import { copiedEvent, type Planted, planted } from './planted-errors.ts';

const SUBSCRIPTION = 'UPDATE paymount.subscriptions SET';
const PERIODS = 'paymount.billing_periods';
const INVOICES = 'paymount.invoices';
const ITEMS = 'paymount.invoice_items';
const WAITING = `account_id, livemode, customer_id, currency, unit_amount, quantity, amount, description,
  price_id, period_start, period_end, is_proration, is_edited, subscription_id, subscription_item_id,
  metadata, created`;
const EVENTS = 'UPDATE paymount.events SET';
const LOOKED_AT =
  'A subscription that is not over is looked at again, unless the outcome of a charge is not known.';
const OWN_INVOICE = 'The invoice of a period is of its subscription and for this period.';
const GAPLESS = 'The periods of a subscription are numbered from 0 without gaps.';
const ADJACENT = 'A period of a subscription begins where the one before ends.';
const CURRENT = 'A subscription is in the last of its periods.';
const CREATED =
  'A subscription that has begun has one subscription.created event, and no other has any.';
const CANCELED =
  'A canceled subscription has one subscription.canceled event, and no other has any.';
const ONCE =
  'A period was renewed or its payment failed at most once, and the first was not renewed.';

const GIVEN_BACK = 'No more is given back for an item of a subscription than was billed and paid.';
const TWICE = 'No time of an item of a subscription is billed twice.';

const renewed = (id: string) => `object_id = '${id}' AND type = 'subscription.renewed'
  AND object_version = 2`;
const at = (id: string, index: number) => `subscription_id = '${id}' AND index = ${index}`;

/** Errors of subscriptions, their periods and their events. */
export const SUBSCRIPTION_ERRORS: readonly Planted[] = [
  planted(
    'a change that nobody billed, of which the credit is given back',
    ({ changed }) => `WITH gone AS (UPDATE ${ITEMS} SET deleted_at = created
        WHERE subscription_id = '${changed}' AND invoice_id IS NOT NULL RETURNING invoice_id)
      UPDATE ${INVOICES} v SET lines = o.lines, total = o.sum,
        ending_balance = v.starting_balance + o.sum
      FROM (SELECT id, jsonb_agg(line) AS lines, sum((line ->> 'amount')::bigint) AS sum
        FROM ${INVOICES}, jsonb_array_elements(lines) line
        WHERE line ->> 'invoiceItemId' IS NULL GROUP BY id) o
      WHERE o.id = v.id AND v.id IN (SELECT invoice_id FROM gone)`,
    GIVEN_BACK,
  ),
  planted(
    'a change whose credit is for a period that was not paid',
    ({ changed }) => `UPDATE ${INVOICES} SET status = 'uncollectible', paid_at = NULL,
      paid_out_of_band = false WHERE subscription_id = '${changed}' AND period_index = 0`,
    GIVEN_BACK,
  ),
  planted(
    'time that is billed again because the change before was void',
    ({ changed }) => `INSERT INTO ${ITEMS} (${WAITING}, id, invoice_id, version)
      SELECT ${WAITING}, 'ii_again', NULL, 1 FROM ${ITEMS}
      WHERE subscription_id = '${changed}' AND amount > 0`,
    TWICE,
  ),
  planted(
    'a subscription that is never looked at again',
    ({ renewing }) => `${SUBSCRIPTION} next_action_at = NULL WHERE id = '${renewing}'`,
    LOOKED_AT,
  ),
  planted(
    'a subscription that is looked at long after the end of its period',
    ({ renewing }) => `${SUBSCRIPTION} next_action_at = next_action_at + interval '1 year'
      WHERE id = '${renewing}'`,
    'A subscription is looked at when its period ends.',
  ),
  planted(
    'an open invoice that would be collected for a canceled subscription',
    ({ ended }) => `UPDATE paymount.invoices SET status = 'open', paid_at = NULL,
      next_action_at = created WHERE subscription_id = '${ended}'`,
    'Nothing is collected for a subscription that is over.',
  ),
  planted(
    'a subscription that waits for a charge that nobody made',
    ({ renewing }) => `${SUBSCRIPTION} charging_invoice_id = latest_invoice_id,
      next_action_at = NULL WHERE id = '${renewing}'`,
    'A subscription waits only for a charge whose outcome is not known.',
  ),
  planted(
    'a period that is gone',
    ({ renewing }) => `DELETE FROM ${PERIODS} WHERE ${at(renewing, 1)}`,
    GAPLESS,
    ADJACENT,
  ),
  planted(
    'a period that begins before the one before has ended',
    ({ renewing }) => `UPDATE ${PERIODS} SET starts_at = starts_at - interval '1 hour'
      WHERE ${at(renewing, 1)}`,
    ADJACENT,
  ),
  planted(
    'a subscription that is in a period it was not billed for',
    ({ renewing }) => `${SUBSCRIPTION} period = jsonb_set(period, '{index}', '99')
      WHERE id = '${renewing}'`,
    CURRENT,
  ),
  planted(
    'a period with the invoice of another one',
    ({ renewing }) => `UPDATE ${PERIODS} p SET invoice_id = o.invoice_id FROM ${PERIODS} o
      WHERE p.subscription_id = '${renewing}' AND p.index = 1
        AND o.subscription_id = '${renewing}' AND o.index = 2`,
    OWN_INVOICE,
  ),
  planted(
    'a period that was billed twice',
    ({ renewing }) => `UPDATE paymount.invoices SET period_index = 1
      WHERE subscription_id = '${renewing}' AND period_index = 2`,
    OWN_INVOICE,
    'A period of a subscription has at most one invoice.',
  ),
  planted(
    'an event of a subscription that does not exist',
    ({ renewing }) => `${EVENTS} object_id = 'sub_none',
      body = replace(body, '"id":"${renewing}"', '"id":"sub_none"') WHERE ${renewed(renewing)}`,
    'An event is about a subscription of its account and environment.',
  ),
  planted(
    'an event of a subscription of an unknown type',
    ({ renewing }) => `${EVENTS} type = 'subscription.lost',
      body = replace(body, 'subscription.renewed', 'subscription.lost') WHERE ${renewed(renewing)}`,
    'An event of a subscription is of a type that subscriptions have.',
  ),
  planted(
    'an event that shows another subscription',
    ({ renewing, ended }) => `${EVENTS} body = replace(body, '${renewing}', '${ended}')
      WHERE ${renewed(renewing)}`,
    'An event says its id and type, and shows its subscription.',
  ),
  planted(
    'an event of a later version than its subscription',
    ({ renewing }) => `${EVENTS} object_version = 999 WHERE ${renewed(renewing)}`,
    'An event is of no later version than its subscription.',
  ),
  planted(
    'a subscription that was created without an event',
    ({ renewing }) => `DELETE FROM paymount.events
      WHERE object_id = '${renewing}' AND type = 'subscription.created'`,
    CREATED,
  ),
  planted(
    'a subscription that ended without an event',
    ({ ended }) => `DELETE FROM paymount.events
      WHERE object_id = '${ended}' AND type = 'subscription.canceled'`,
    CANCELED,
  ),
  planted(
    'a period that was renewed twice',
    ({ ended }) =>
      copiedEvent(`WHERE object_id = '${ended}' AND type = 'subscription.canceled'`, '2').replace(
        "SELECT 'evt_2', account_id, livemode, type,",
        "SELECT 'evt_2', account_id, livemode, 'subscription.renewed',",
      ),
    ONCE,
    'An event says its id and type, and shows its subscription.',
  ),
  planted(
    'a subscription that recovered from nothing',
    ({ renewing }) => `${EVENTS} type = 'subscription.recovered',
      body = replace(body, 'subscription.renewed', 'subscription.recovered')
      WHERE ${renewed(renewing)}`,
    'A subscription recovers only from a payment that failed.',
  ),
];
