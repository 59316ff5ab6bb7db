import { type Environment, livemode } from '@paymount/core/kernel';
import type { OperationDirectory, OperationFilter, ReviewCount } from '@paymount/core/payments';
import type { Session } from '../session.ts';
import {
  adminPage,
  type Condition,
  compared,
  createdWithin,
  filtersWithin,
  findForAdmin,
} from '../shared/admin-rows.ts';
import { statement } from '../shared/statement.ts';
import { answersOf } from './operation-answer-rows.ts';
import { OPERATION_COLUMNS, type OperationRow, toOperation } from './operation-rows.ts';

const OPERATIONS = { name: 'operations', columns: OPERATION_COLUMNS } as const;

/** As the index `operations_review` says it. */
const UNDER_REVIEW = "(review_since IS NOT NULL OR state = 'quarantined')";

const underReview = statement(
  'pm_operations_review_v2',
  (s) => `SELECT livemode, count(*)::integer AS count, min(COALESCE(review_since, created)) AS since
    FROM ${s}.operations WHERE ${UNDER_REVIEW} GROUP BY livemode`,
);

interface ReviewRow {
  readonly livemode: boolean;
  readonly count: number;
  readonly since: Date;
}

/** Operations, as operators look through them. */
export function operationDirectory(session: Session): OperationDirectory {
  return {
    async find(scope, id) {
      const row = await findForAdmin<OperationRow>(session, OPERATIONS, filtersWithin(scope), id);
      return row && toOperation(row);
    },
    async list(scope, filter, page) {
      const { kind, processor, subject, created } = filter;
      const conditions = [
        ...inState(filter),
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
    answers: (operation) => answersOf(session, operation),
    async underReview() {
      const { rows } = await session.query<ReviewRow>(underReview, []);
      const countOf = (environment: Environment): ReviewCount => {
        const row = rows.find((each) => each.livemode === livemode(environment));
        return row === undefined ? { count: 0 } : { count: row.count, since: row.since };
      };
      return { live: countOf('live'), test: countOf('test') };
    },
  };
}

function inState({ state = 'review' }: OperationFilter): readonly Condition[] {
  if (state === 'any') return [];
  if (state === 'review') return [() => UNDER_REVIEW];
  return compared('state', '=', state, 'text');
}
