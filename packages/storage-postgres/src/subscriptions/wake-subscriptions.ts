import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

/** Customers in one statement. */
const MAX_CUSTOMERS = 100;

/**
 * What waits for a worker to look at the subscriptions of a customer: each that lives is woken, so it is due at once,
 * from the time at which it was created on. While the outcome of its charge is not known it is only marked, and due when
 * that is known. It gets a new version, because a result that was computed before would make it sleep again. A customer
 * continues to wait while somebody has locked one of them, so the statement waits for nobody.
 */
const wake = statement(
  'pm_subscriptions_wake_v3',
  (s) => `WITH waiting AS (
      SELECT account_id, livemode, customer_id FROM ${s}.subscription_wakes
      ORDER BY random() LIMIT $1 FOR UPDATE SKIP LOCKED),
    live AS (
      SELECT w.account_id, w.livemode, w.customer_id, count(u.id) AS count FROM waiting w
      LEFT JOIN ${s}.subscriptions u ON (u.account_id, u.livemode, u.customer_id)
        = (w.account_id, w.livemode, w.customer_id)
        AND u.status NOT IN ('canceled', 'incomplete_expired')
      GROUP BY w.account_id, w.livemode, w.customer_id),
    locked AS (
      SELECT u.account_id, u.livemode, u.customer_id, u.id FROM ${s}.subscriptions u
      JOIN live l ON (u.account_id, u.livemode, u.customer_id)
        = (l.account_id, l.livemode, l.customer_id)
      WHERE u.status NOT IN ('canceled', 'incomplete_expired')
      FOR NO KEY UPDATE OF u SKIP LOCKED),
    woken AS (
      UPDATE ${s}.subscriptions u SET is_woken = true, version = u.version + 1,
        next_action_at = CASE WHEN u.charging_invoice_id IS NULL THEN u.created END
      FROM locked k WHERE (u.account_id, u.livemode, u.id) = (k.account_id, k.livemode, k.id))
    DELETE FROM ${s}.subscription_wakes w USING live l
    WHERE (w.account_id, w.livemode, w.customer_id) = (l.account_id, l.livemode, l.customer_id)
      AND l.count = (SELECT count(*) FROM locked k WHERE (k.account_id, k.livemode, k.customer_id)
        = (l.account_id, l.livemode, l.customer_id))`,
);

/** Makes due what a worker must look at, because of its customer. */
export async function wakeSubscriptions(session: Session): Promise<void> {
  await session.query(wake, [MAX_CUSTOMERS]);
}
