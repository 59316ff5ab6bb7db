import type { PaymentMethodQueue } from '@paymount/core/payments';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { NOBODY } from './attachment-parts.ts';

/**
 * The index `payment_methods_unused` has the same condition. Who uses a payment method meanwhile has its
 * row locked, and it is passed over; who uses it afterwards finds another version.
 */
const eraseUnused = statement(
  'pm_methods_erase_v1',
  (s) => `UPDATE ${s}.payment_methods p
    SET us_bank_account = us_bank_account || '{"accountHolderName":null}',
      sealed_number = NULL, kid = NULL, billing_details = '${NOBODY}', metadata = '{}',
      erased_at = $3, version = version + 1
    FROM (SELECT account_id, livemode, id FROM ${s}.payment_methods
      WHERE created < $1 AND us_bank_account IS NOT NULL
        AND consumed_by IS NULL AND customer_id IS NULL AND detached_at IS NULL AND erased_at IS NULL
      ORDER BY created LIMIT $2 FOR UPDATE SKIP LOCKED) unused
    WHERE (p.account_id, p.livemode, p.id) = (unused.account_id, unused.livemode, unused.id)`,
);

/** What workers do about payment methods, on PostgreSQL. */
export function paymentMethodQueue(session: Session): PaymentMethodQueue {
  return {
    async eraseUnused({ createdBefore, at, limit }) {
      return (await session.query(eraseUnused, [createdBefore, limit, at])).rowCount ?? 0;
    },
  };
}
