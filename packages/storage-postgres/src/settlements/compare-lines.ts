import type { SettlementDifferenceId } from '@paymount/core/kernel';
import type { SettlementRepository } from '@paymount/core/payments';
import { type Statement, statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { feesOf } from './charge-settlement-sql.ts';

const owned = (t: string): string =>
  `${t}.account_id = p.account_id AND ${t}.livemode = p.livemode`;
const IS_REFUND = (o: string): string => `${o}.subject_id LIKE 're\\_%'`;

/** Balance transactions (`b`) of the refund or of the charge and its disputes that a line (`p`) is about. */
function movesOfLine(s: string): string {
  return `FROM ${s}.balance_transactions b
    WHERE ${owned('b')} AND b.currency = p.currency AND b.source_id IN (
      SELECT CASE WHEN ${IS_REFUND('o')} THEN o.subject_id ELSE p.charge_id END
      UNION ALL SELECT d.id FROM ${s}.disputes d WHERE ${owned('d')}
        AND d.charge_id = p.charge_id AND NOT ${IS_REFUND('o')})`;
}

/** What a line should have been: as `expectedOf` in `match-line.ts` of the core finds it. */
function expectedAmount(s: string): string {
  return `SELECT b.amount AS expected ${movesOfLine(s)} AND sign(b.amount) = sign(p.amount)
    ORDER BY (b.amount = p.amount) DESC, b.created DESC, b.id DESC LIMIT 1`;
}

/**
 * Whether another line takes back what a line (`p`) says that nothing moved, and nothing moved for that one
 * either. A processor settles each ruling, and one that a later ruling has overtaken is never booked. Each
 * line cancels one other, in the order of their ids.
 */
function isCanceled(s: string): string {
  return `(SELECT count(*) FILTER (WHERE l.amount = p.amount AND l.id <= p.line)
      <= count(*) FILTER (WHERE l.amount = -p.amount)
        - (SELECT count(*) ${movesOfLine(s)} AND b.amount = -p.amount)
    FROM ${s}.settlement_lines l
    JOIN ${s}.operations a
      ON a.account_id = l.account_id AND a.livemode = l.livemode AND a.id = l.found_id
    WHERE ${owned('l')} AND l.charge_id = p.charge_id AND l.currency = p.currency
      AND CASE WHEN ${IS_REFUND('o')} THEN a.subject_id = o.subject_id ELSE NOT ${IS_REFUND('a')} END)`;
}

const amounts = statement(
  'pm_settlements_compare_amounts_v2',
  (s) => `WITH page AS (SELECT d.id, d.expected_amount, l.id AS line, l.account_id, l.livemode,
        l.charge_id, l.found_id, l.amount, l.currency
      FROM ${s}.settlement_differences d JOIN ${s}.settlement_lines l ON l.id = d.subject_id
      WHERE d.kind = 'amount_differs' AND d.state = 'open' AND d.id > $1
      ORDER BY d.id LIMIT $2 FOR NO KEY UPDATE OF d),
    found AS (SELECT p.id, p.line, p.amount, p.expected_amount,
        CASE WHEN m.expected IS DISTINCT FROM p.amount AND ${isCanceled(s)} THEN p.amount
          ELSE m.expected END AS expected
      FROM page p
      JOIN ${s}.operations o
        ON o.account_id = p.account_id AND o.livemode = p.livemode AND o.id = p.found_id
      LEFT JOIN LATERAL (${expectedAmount(s)}) m ON true),
    compared AS (SELECT * FROM found WHERE expected IS DISTINCT FROM expected_amount),
    lines AS (UPDATE ${s}.settlement_lines l SET expected_amount = c.expected
      FROM compared c WHERE l.id = c.line),
    told AS (UPDATE ${s}.settlement_differences d SET expected_amount = c.expected,
        state = CASE WHEN c.expected = c.amount THEN 'resolved' ELSE 'open' END
      FROM compared c WHERE d.id = c.id)
    SELECT max(id) AS last FROM page HAVING count(*) = $2`,
);

/** What is booked, and what lines tell, both less what they give back. */
const fees = statement(
  'pm_settlements_compare_fees_v1',
  (s) => `WITH page AS (SELECT d.id, d.subject_id, d.currency, d.expected_amount, d.found_amount,
        l.account_id, l.livemode, l.charge_id, l.found_id
      FROM ${s}.settlement_differences d JOIN ${s}.settlement_lines l
        ON l.processor = d.processor AND l.livemode = d.livemode AND l.line_id = d.line_id
      WHERE d.kind = 'fee_differs' AND d.state = 'open' AND d.id > $1
      ORDER BY d.id LIMIT $2 FOR NO KEY UPDATE OF d),
    compared AS (SELECT p.*, greatest(f.by_outcomes, f.by_lines) + f.given_back AS booked,
        f.by_lines + f.given_back AS told
      FROM page p CROSS JOIN LATERAL (${feesOf(s, {
        account: 'p.account_id',
        livemode: 'p.livemode',
        operation: 'p.found_id',
        subject: 'p.subject_id',
        charge: 'p.charge_id',
        currency: 'p.currency',
      })}) f),
    changed AS (UPDATE ${s}.settlement_differences d SET expected_amount = c.booked,
        found_amount = c.told, state = CASE WHEN c.told = c.booked THEN 'resolved' ELSE 'open' END
      FROM compared c WHERE d.id = c.id
        AND (c.expected_amount, c.found_amount) IS DISTINCT FROM (c.booked, c.told))
    SELECT max(id) AS last FROM page HAVING count(*) = $2`,
);

const STATEMENTS = { amount_differs: amounts, fee_differs: fees } as const satisfies Record<
  string,
  Statement
>;

/** Lines that came before what they are about, compared again on PostgreSQL. */
export function comparedLines(session: Session): Pick<SettlementRepository, 'compareLinesAgain'> {
  return {
    async compareLinesAgain(kind, limit, after) {
      const values = [after ?? '', limit];
      const { rows } = await session.query<{ last: SettlementDifferenceId }>(
        STATEMENTS[kind],
        values,
      );
      return rows[0]?.last;
    },
  };
}
