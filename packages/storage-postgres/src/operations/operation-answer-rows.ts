import { livemode, type OperationId } from '@paymount/core/kernel';
import type { Operation, OperationAnswer } from '@paymount/core/payments';
import { OWNER, type Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { statement } from '../connection/statement.ts';
import { json } from '../shared/columns.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

interface AnswerRow {
  readonly operation_id: OperationId;
  readonly source: OperationAnswer['source'];
  readonly answer: OperationAnswer['answer'];
  readonly reason: string | null;
  readonly created: Date;
}

const select = statement(
  'pm_operation_answers_v1',
  (s) => `SELECT operation_id, source, answer, reason, created FROM ${s}.operation_answers
    WHERE account_id = $1 AND livemode = $2 AND operation_id = $3 ORDER BY seq LIMIT $4`,
);

/** More than any operation has: each is from a call, a look-up or a decision. */
const MAX_ANSWERS = 1_000;

/** Reads the responses about an operation, oldest first. */
export async function listAnswers(
  session: Session,
  { accountId, environment, id }: Operation,
): Promise<readonly OperationAnswer[]> {
  const values = [accountId, livemode(environment), id, MAX_ANSWERS];
  const { rows } = await session.query<AnswerRow>(select, values);
  return rows.map(({ operation_id: operationId, source, answer, reason, created }) => ({
    operationId,
    source,
    answer,
    created,
    ...present({ reason }),
  }));
}

/** Stores a response about an operation. */
export function operationAnswerPart(kept: OperationAnswer): Part {
  return {
    code: partCode('kept_answer'),
    values: [kept.operationId, kept.source, json(kept.answer), kept.reason ?? null, kept.created],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.operation_answers
    (account_id, livemode, operation_id, source, answer, reason, created)
  SELECT ${OWNER}, ${at(0)}::text, ${at(1)}::text, ${at(2)}::jsonb, ${at(3)}::text,
    ${at(4)}::timestamptz
  WHERE ${when})`,
  };
}
