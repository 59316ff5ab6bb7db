import type { PlannedNoticeQueue } from '@paymount/core/payments';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';

interface PlannedRow {
  readonly notice_id: string;
  readonly due_at: Date;
  readonly body: string;
}

const claim = statement(
  'pm_planned_claim_v1',
  (s) => `UPDATE ${s}.sandbox_notices n SET due_at = $2
    FROM (SELECT notice_id, due_at FROM ${s}.sandbox_notices WHERE due_at <= $1
      ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED) due
    WHERE n.notice_id = due.notice_id RETURNING n.notice_id, due.due_at, n.body`,
);
const remove = statement(
  'pm_planned_remove_v1',
  (s) => `DELETE FROM ${s}.sandbox_notices WHERE notice_id = ANY ($1::text[])`,
);

/** What the sandbox processor sends later. */
export function plannedNoticeQueue(session: Session): PlannedNoticeQueue {
  return {
    async claimDue({ now, limit, leaseMs }) {
      const leaseUntil = new Date(now.getTime() + leaseMs);
      const { rows } = await session.query<PlannedRow>(claim, [now, leaseUntil, limit]);
      return rows.map(({ notice_id: noticeId, due_at: dueAt, body: text }) => ({
        noticeId,
        dueAt,
        text,
      }));
    },
    async remove(noticeIds) {
      await session.query(remove, [noticeIds]);
    },
  };
}
