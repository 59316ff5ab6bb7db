import type { TokenQueue } from '@paymount/core/payments';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

/** The index `tokens_of_holders` has the same condition. */
const eraseExpired = statement(
  'pm_tokens_erase_v1',
  (s) => `UPDATE ${s}.tokens t
    SET us_bank_account = us_bank_account || '{"accountHolderName":null}',
      sealed_number = NULL, kid = NULL, version = version + 1
    FROM (SELECT account_id, livemode, id FROM ${s}.tokens
      WHERE expires_at < $1 AND us_bank_account IS NOT NULL
        AND (kid IS NOT NULL OR us_bank_account ->> 'accountHolderName' IS NOT NULL)
      ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED) expired
    WHERE (t.account_id, t.livemode, t.id) = (expired.account_id, expired.livemode, expired.id)`,
);

/** What workers do about tokens, on PostgreSQL. */
export function tokenQueue(session: Session): TokenQueue {
  return {
    async eraseExpired(time, limit) {
      return (await session.query(eraseExpired, [time, limit])).rowCount ?? 0;
    },
  };
}
