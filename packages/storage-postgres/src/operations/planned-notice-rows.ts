import type { PlannedNotice, PlannedNoticeQueue } from '@paymount/core/payments';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

interface PlannedRow {
  readonly notice_id: string;
  readonly due_at: Date;
  readonly body: string;
}

const claim = statement(
  'pm_planned_claim_v2',
  (s) => `UPDATE ${s}.sandbox_notices n SET due_at = $2
    FROM (SELECT notice_id, due_at FROM ${s}.sandbox_notices WHERE due_at <= $1 AND test_clock_id IS NULL
      ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED) due
    WHERE n.notice_id = due.notice_id RETURNING n.notice_id, due.due_at, n.body`,
);
const findDueOn = statement(
  'pm_planned_due_on_v1',
  (s) => `SELECT notice_id, due_at, body FROM ${s}.sandbox_notices
    WHERE test_clock_id = $1 AND due_at <= $2 ORDER BY due_at, notice_id LIMIT $3`,
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
      return rows.map(toPlanned);
    },
    async findDueOn(clock, until, limit) {
      const values = [clock, until, limit];
      return (await session.query<PlannedRow>(findDueOn, values)).rows.map(toPlanned);
    },
    async remove(noticeIds) {
      await session.query(remove, [noticeIds]);
    },
  };
}

function toPlanned({ notice_id: noticeId, due_at: dueAt, body: text }: PlannedRow): PlannedNotice {
  return { noticeId, dueAt, text };
}
