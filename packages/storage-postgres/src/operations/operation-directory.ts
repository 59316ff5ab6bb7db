import { type Environment, livemode } from '@paymount/core/kernel';
import {
  HOOK_WAIT_MS,
  type OperationDirectory,
  type OperationFilter,
  type ReviewCount,
} from '@paymount/core/payments';
import { statement } from '../connection/statement.ts';
import {
  adminPage,
  type Condition,
  compared,
  createdWithin,
  filtersWithin,
  findForAdmin,
} from '../shared/admin-rows.ts';
import type { Session } from '../transaction/session.ts';
import { listAnswers } from './operation-answer-rows.ts';
import { OPERATION_COLUMNS, type OperationRow, toOperation } from './operation-rows.ts';

const OPERATIONS = { name: 'operations', columns: OPERATION_COLUMNS } as const;

/**
 * The first condition is that of the index `operations_review`. @param shift milliseconds, as SQL
 */
function underReview(shift: string): string {
  return `((review_since IS NOT NULL OR state = 'quarantined')
    AND (state NOT IN ('created', 'unknown') OR ${waitsLong(shift)}))`;
}

/** Whether an operation that is not resolved has waited for the hook for too long. */
function waitsLong(shift: string): string {
  return `review_since < statement_timestamp() + (${shift} - ${HOOK_WAIT_MS}) * interval '1 ms'`;
}

const countReviews = statement(
  'pm_operations_review_v4',
  (s) => `SELECT livemode, count(*)::integer AS count,
      (count(*) FILTER (WHERE state IN ('created', 'unknown')))::integer AS hook_waits,
      min(COALESCE(review_since, created)) AS since
    FROM ${s}.operations WHERE ${underReview('$1::double precision')} GROUP BY livemode`,
);

interface ReviewRow {
  readonly livemode: boolean;
  readonly count: number;
  readonly hook_waits: number;
  readonly since: Date;
}

/** Lists of operations, for operators. @param clock its offset is added to the database's time */
export function operationDirectory(
  session: Session,
  clock: { readonly shiftMs: number },
): OperationDirectory {
  return {
    async find(scope, id) {
      const row = await findForAdmin<OperationRow>(session, OPERATIONS, filtersWithin(scope), id);
      return row && toOperation(row);
    },
    async list(scope, filter, page) {
      const { kind, processor, subject, created } = filter;
      const conditions = [
        ...inState(filter, clock.shiftMs),
        ...compared('kind', '=', kind, 'text'),
        ...compared('processor', '=', processor, 'text'),
        ...compared('subject_id', '=', subject, 'text'),
        ...createdWithin(created),
      ];
      const asked = filtersWithin(scope, filter);
      const wanted = { conditions, page };
      const found = await adminPage<OperationRow>(session, OPERATIONS, asked, wanted);
      return { ...found, data: found.data.map(toOperation) };
    },
    answers: (operation) => listAnswers(session, operation),
    async underReview() {
      const { rows } = await session.query<ReviewRow>(countReviews, [clock.shiftMs]);
      const countFor = (environment: Environment): ReviewCount => {
        const row = rows.find((each) => each.livemode === livemode(environment));
        if (row === undefined) return { count: 0, hookWaits: 0 };
        return { count: row.count, hookWaits: row.hook_waits, since: row.since };
      };
      return { live: countFor('live'), test: countFor('test') };
    },
  };
}

function inState({ state = 'review' }: OperationFilter, shiftMs: number): readonly Condition[] {
  if (state === 'any') return [];
  if (state === 'review') return [(place) => underReview(place(shiftMs, 'double precision'))];
  return compared('state', '=', state, 'text');
}
