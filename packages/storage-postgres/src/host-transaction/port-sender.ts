import { withTimeout } from '@paymount/core/kernel';
import type { QueryResultRow } from 'pg';
import { isRerunnable, translated } from '../connection/sql-errors.ts';
import type { Query } from '../connection/statement.ts';
import type { StatementResult, StatementSender } from '../connection/statement-sender.ts';
import type { TransactionPort } from './host-transaction.ts';
import { portedRow } from './port-rows.ts';
import { type PortedStatement, portedStatement } from './port-values.ts';
import { sqlErrorIn } from './sql-error-in.ts';

/** The same limit as for our own client. */
const ANSWER_LIMIT_MS = 10_000;

/**
 * Sends statements through a port: one at a time, unnamed, with value types that any driver
 * supports.
 */
export interface PortSender extends StatementSender {
  /** True once a response did not come: it is unknown whether that statement took effect. */
  readonly isLost: boolean;
}

/** @param port sends the statements */
export function portSender(port: TransactionPort): PortSender {
  let isLost = false;
  const send = async <Row extends QueryResultRow>({
    text,
    values = [],
    query_timeout,
  }: Pick<Query, 'text' | 'values' | 'query_timeout'>): Promise<StatementResult<Row>> => {
    const asked = portedStatement(text, values);
    let isAnswered = false;
    const answer = sent(port, asked).finally(() => {
      isAnswered = true;
    });
    const { rows } = await withTimeout(answer, query_timeout).catch((error: unknown) => {
      isLost ||= !isAnswered;
      const refusal = sqlErrorIn(error) ?? error;
      throw isRerunnable(refusal) ? refusal : translated(refusal);
    });
    if (!isList(rows)) throw new TypeError('`query` of a port answers `{ rows }`.');
    return { rows: rows.map((row) => portedRow<Row>(row)), rowCount: null };
  };
  return {
    get isLost() {
      return isLost;
    },
    send,
    async control(texts) {
      const answers: StatementResult[] = [];
      for (const text of texts) {
        answers.push(await send({ text, query_timeout: ANSWER_LIMIT_MS }));
      }
      return answers;
    },
  };
}

/** A synchronous error of a library is handled like a rejection. */
async function sent(
  port: TransactionPort,
  { text, values }: PortedStatement,
): Promise<{ readonly rows: readonly object[] }> {
  return port.query(text, values);
}

/** Hosts without TypeScript may return anything. */
function isList(rows: unknown): boolean {
  return Array.isArray(rows);
}
