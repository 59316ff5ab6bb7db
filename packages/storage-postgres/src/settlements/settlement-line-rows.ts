import type { AccountId, ChargeId, OperationId, SettlementLineId } from '@paymount/core/kernel';
import { environmentOf, livemode } from '@paymount/core/kernel';
import type { SettlementLine, SettlementRepository } from '@paymount/core/payments';
import { statement } from '../connection/statement.ts';
import {
  OPERATION_COLUMNS,
  type OperationRow,
  toOperation,
  UNRESOLVED,
} from '../operations/operation-rows.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import { feesOf, movedByCharge, settledOfCharge } from './charge-settlement-sql.ts';

interface LineRow {
  readonly id: SettlementLineId;
  readonly livemode: boolean;
  readonly processor: string;
  readonly line_id: string;
  readonly kind: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly currency: string;
  readonly settled_on: Date;
  readonly operation_id: OperationId | null;
  readonly processor_reference: string | null;
  readonly account_id: AccountId | null;
  readonly found_id: OperationId | null;
  readonly charge_id: ChargeId | null;
  readonly expected_amount: bigint | null;
  readonly created: Date;
}

interface FeeRow {
  readonly by_outcomes: bigint;
  readonly by_lines: bigint;
  readonly given_back: bigint;
}

const COLUMNS = `id, livemode, processor, line_id, kind, amount, fee, currency, settled_on,
  operation_id, processor_reference, account_id, found_id, charge_id, expected_amount, created`;

const record = statement(
  'pm_settlements_record_v1',
  (s) => `INSERT INTO ${s}.settlement_lines (${COLUMNS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    ON CONFLICT (processor, livemode, line_id) DO NOTHING RETURNING id`,
);
const take = statement(
  'pm_settlements_take_v1',
  (s) => `SELECT ${COLUMNS} FROM ${s}.settlement_lines WHERE id = $1 AND account_id IS NULL
    FOR NO KEY UPDATE SKIP LOCKED`,
);
const saveMatch = statement(
  'pm_settlements_match_v1',
  (s) => `UPDATE ${s}.settlement_lines SET account_id = $2, found_id = $3, charge_id = $4,
      expected_amount = $5 WHERE id = $1`,
);
const unansweredRefund = statement(
  'pm_settlements_unanswered_refund_v1',
  (s) => `SELECT ${OPERATION_COLUMNS.join(', ')} FROM ${s}.operations
    WHERE account_id = $1 AND livemode = $2 AND charge_id = $3 AND kind = 'refund' AND amount = $4
      AND processor_reference IS NULL AND ${UNRESOLVED} ORDER BY id LIMIT 1`,
);
const isWanted = statement(
  'pm_settlements_is_wanted_v1',
  (s) => `SELECT NOT EXISTS (SELECT FROM ${s}.settlement_differences
      WHERE subject_id = $1 AND kind = 'no_operation' AND state = 'settled')
    OR $5::bigint <> 0 AND EXISTS (SELECT FROM ${s}.charges c
      CROSS JOIN LATERAL (${movedByCharge(s, 'c')}) m CROSS JOIN LATERAL (${settledOfCharge(s, 'c')}) l
      WHERE c.account_id = $2 AND c.livemode = $3 AND c.id = $4 AND m.moved - l.settled = $5::bigint)
    AS wanted`,
);
const told = statement(
  'pm_settlements_told_v1',
  (s) => `SELECT found_id AS id FROM ${s}.settlement_lines
    WHERE account_id = $1 AND livemode = $2 AND charge_id = $3 AND currency = $4 AND amount = $5`,
);
const moves = statement(
  'pm_settlements_moves_v2',
  (s) => `SELECT amount FROM ${s}.balance_transactions
    WHERE account_id = $1 AND livemode = $2 AND source_id = ANY ($3::text[]) AND currency = $4
    ORDER BY created DESC, id DESC`,
);
const fees = statement('pm_settlements_fees_v3', (s) =>
  feesOf(s, {
    account: '$1',
    livemode: '$2',
    operation: '$3',
    subject: '$4',
    charge: '$5',
    currency: '$6',
  }),
);

/** The lines of settlements, on PostgreSQL. */
export function settlementLineRows(
  session: Session,
): Pick<
  SettlementRepository,
  | 'record'
  | 'takeUnmatched'
  | 'saveMatch'
  | 'isWanted'
  | 'findTold'
  | 'findUnansweredRefund'
  | 'movesOf'
  | 'feesOf'
> {
  return {
    async record(line) {
      const { processor, lineId, kind, amount, fee, currency, settledOn, named } = line;
      const { rows } = await session.query(record, [
        line.id,
        livemode(line.environment),
        processor,
        lineId,
        kind,
        amount,
        fee,
        currency,
        settledOn,
        named.operationId ?? null,
        named.processorReference ?? null,
        ...matchValues(line),
        line.created,
      ]);
      return rows.length > 0;
    },
    async takeUnmatched(id) {
      const [row] = (await session.query<LineRow>(take, [id])).rows;
      return row && toLine(row);
    },
    async saveMatch(line) {
      await session.query(saveMatch, [line.id, ...matchValues(line)]);
    },
    async isWanted({ id, environment, amount, match }) {
      const values = [id, match?.accountId, livemode(environment), match?.chargeId, amount];
      const { rows } = await session.query<{ wanted: boolean }>(isWanted, values);
      return rows[0]?.wanted === true;
    },
    async findTold({ accountId, environment }, chargeId, { currency, amount }) {
      const values = [accountId, livemode(environment), chargeId, currency, amount];
      const { rows } = await session.query<{ id: OperationId }>(told, values);
      return rows.map(({ id }) => id);
    },
    async findUnansweredRefund({ accountId, environment }, chargeId, amount) {
      const values = [accountId, livemode(environment), chargeId, amount];
      const [row] = (await session.query<OperationRow>(unansweredRefund, values)).rows;
      return row && toOperation(row);
    },
    async movesOf({ accountId, environment }, sourceIds, currency) {
      const values = [accountId, livemode(environment), sourceIds, currency];
      const { rows } = await session.query<{ amount: bigint }>(moves, values);
      return rows.map(({ amount }) => Number(amount));
    },
    async feesOf({ accountId, environment, id, subjectId, rootId }, currency) {
      const values = [accountId, livemode(environment), id, subjectId, rootId, currency];
      const { rows } = await session.query<FeeRow>(fees, values);
      const [row] = rows;
      return {
        byOutcomes: Number(row?.by_outcomes ?? 0),
        byLines: Number(row?.by_lines ?? 0),
        givenBack: Number(row?.given_back ?? 0),
      };
    },
  };
}

function matchValues({ match }: SettlementLine): readonly unknown[] {
  const { accountId, operationId, chargeId, expected } = match ?? {};
  return [accountId, operationId, chargeId, expected].map((value) => value ?? null);
}

function toLine(row: LineRow): SettlementLine {
  const { account_id: accountId, found_id: operationId, charge_id: chargeId } = row;
  const { expected_amount: expected } = row;
  return {
    id: row.id,
    environment: environmentOf(row.livemode),
    processor: row.processor,
    lineId: row.line_id,
    kind: row.kind,
    amount: Number(row.amount),
    fee: Number(row.fee),
    currency: row.currency,
    settledOn: row.settled_on,
    named: present({
      operationId: row.operation_id,
      processorReference: row.processor_reference,
    }),
    ...(accountId && operationId && chargeId
      ? {
          match: {
            accountId,
            operationId,
            chargeId,
            ...(expected === null ? {} : { expected: Number(expected) }),
          },
        }
      : {}),
    created: row.created,
  };
}
