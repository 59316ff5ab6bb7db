import { type AccountId, environmentOf, livemode, type TestClockId } from '@paymount/core/kernel';
import type { ClaimedClock, TestClockQueue } from '@paymount/core/payments';
import { type Statement, statement } from '../connection/statement.ts';
import { noHookIn } from '../hook-use/hook-use-rows.ts';
import type { Session } from '../transaction/session.ts';
import { type TestClockRow, testClockColumns, toTestClock } from './test-clock-rows.ts';

/** The database's time, shifted as the business time is, after a wait; both in milliseconds. */
const after = (shift: string, wait: string): string =>
  `statement_timestamp() + (${shift}::double precision + ${wait}::double precision) * interval '1 ms'`;

/** Of a clock that its claim still holds: `$1` to `$4`. */
const HELD = `account_id = $1 AND livemode = $2 AND id = $3 AND claims = $4 AND status = 'advancing'`;

const claim = claimStatement('pm_clocks_claim_v2', () => '');
/** For a process without a hook, while a hook is in use. */
const claimHookless = claimStatement(
  'pm_clocks_claim_hookless_v1',
  (s) => `AND (review_since IS NULL OR ${noHookIn(s)})`,
);
/** Progress clears the failures, and the wait for the hook. */
const move = statement(
  'pm_clocks_move_v2',
  (s) => `UPDATE ${s}.test_clocks SET frozen_time = $5, version = version + 1,
      lease_until = ${after('$6', '$7')},
      failures = CASE WHEN frozen_time < $5 THEN 0 ELSE failures END,
      review_since = CASE WHEN frozen_time < $5 THEN NULL ELSE review_since END
    WHERE ${HELD} AND frozen_time <= $5 RETURNING failures`,
);
const finish = statement(
  'pm_clocks_finish_v2',
  (s) => `UPDATE ${s}.test_clocks SET status = 'ready', target_time = NULL, lease_until = NULL,
      failures = 0, review_since = NULL, version = version + 1
    WHERE ${HELD} AND frozen_time = target_time RETURNING id`,
);
const giveBack = statement(
  'pm_clocks_give_back_v2',
  (s) => `UPDATE ${s}.test_clocks SET lease_until = ${after('$5', '$6')},
      failures = failures + CASE WHEN $7::text = 'error' THEN 1 ELSE 0 END,
      review_since = CASE WHEN $7 = 'hook' THEN
        COALESCE(review_since, date_trunc('milliseconds', ${after('$5', '0')})) END
    WHERE ${HELD}`,
);
const fail = statement(
  'pm_clocks_fail_v2',
  (s) => `UPDATE ${s}.test_clocks SET status = 'internal_failure', failure = $5, target_time = NULL,
      lease_until = NULL, review_since = NULL, version = version + 1
    WHERE ${HELD}`,
);
const findOld = statement(
  'pm_clocks_old_v4',
  (s) => `SELECT ${testClockColumns(s).join(', ')} FROM ${s}.test_clocks
    WHERE created < $1 AND deleted_at IS NULL
      AND ($3::timestamptz IS NULL OR (created, id) > ($3, $4::text))
    ORDER BY created, id LIMIT $2`,
);

interface ClaimedRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly id: TestClockId;
  readonly frozen_time: Date;
  readonly claims: number;
  readonly target_time: Date;
  readonly failures: number;
}

function claimStatement(name: `pm_${string}`, condition: (s: string) => string): Statement {
  return statement(
    name,
    (s) => `UPDATE ${s}.test_clocks c SET claims = claims + 1, lease_until = ${after('$1', '$2')}
    FROM (SELECT account_id, livemode, id FROM ${s}.test_clocks
      WHERE status = 'advancing' AND (lease_until IS NULL OR lease_until <= ${after('$1', '0')})
        ${condition(s)}
      ORDER BY lease_until NULLS FIRST LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) due
    WHERE (c.account_id, c.livemode, c.id) = (due.account_id, due.livemode, due.id)
    RETURNING c.account_id, c.livemode, c.id, c.claims, c.frozen_time, c.target_time, c.failures`,
  );
}

/**
 * The clocks that workers advance.
 * @param clock its offset is added to the database's time
 * @param hook of this process, if it has one
 */
export function testClockQueue(
  session: Session,
  clock: { readonly shiftMs: number },
  hook: unknown,
): TestClockQueue {
  const claimStored = hook === undefined ? claimHookless : claim;
  const held = ({ accountId, environment, id, claim: claims }: ClaimedClock): unknown[] => [
    accountId,
    livemode(environment),
    id,
    claims,
  ];
  return {
    async claim(leaseMs) {
      const [row] = (await session.query<ClaimedRow>(claimStored, [clock.shiftMs, leaseMs])).rows;
      return (
        row && {
          accountId: row.account_id,
          environment: environmentOf(row.livemode),
          id: row.id,
          claim: row.claims,
          frozenTime: row.frozen_time,
          targetTime: row.target_time,
          failures: row.failures,
        }
      );
    },
    async move(claimed, to, leaseMs) {
      const values = [...held(claimed), to, clock.shiftMs, leaseMs];
      return (await session.query(move, values)).rows.length > 0;
    },
    finish: async (claimed) => (await session.query(finish, held(claimed))).rows.length > 0,
    async giveBack(claimed, { waitMs, because }) {
      const values = [...held(claimed), clock.shiftMs, waitMs, because];
      await session.query(giveBack, values);
    },
    async fail(claimed, failure) {
      await session.query(fail, [...held(claimed), failure]);
    },
    async findOld(createdBefore, limit, after) {
      const values = [createdBefore, limit, after?.created ?? null, after?.id ?? null];
      const { rows } = await session.query<TestClockRow>(findOld, values);
      return rows.map(toTestClock);
    },
  };
}
