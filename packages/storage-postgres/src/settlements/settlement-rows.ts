import {
  type AccountId,
  type BalanceTransactionId,
  type ChargeId,
  environmentOf,
  livemode,
  type SettlementDifferenceId,
  type SettlementLineId,
} from '@paymount/core/kernel';
import { type BalanceTransaction, DISPUTE_KINDS, DISPUTE_WON_KINDS } from '@paymount/core/ledger';
import type {
  SettlementCursor,
  SettlementRepository,
  UnsettledCharge,
} from '@paymount/core/payments';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { movedByCharge, settledOfCharge } from './charge-settlement-sql.ts';
import { comparedLines } from './compare-lines.ts';
import { DIFFERENCE_COLUMNS, type DifferenceRow, toDifference } from './settlement-directory.ts';
import { settlementLineRows } from './settlement-line-rows.ts';

interface ScannedRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly currency: string;
  readonly type: BalanceTransaction['type'];
  readonly created: Date;
  readonly id: BalanceTransactionId;
  readonly charge_id: ChargeId;
  readonly processor_name: string;
  readonly moved: bigint;
  readonly settled: bigint;
  readonly wanted: boolean;
}

const COLUMNS = DIFFERENCE_COLUMNS.join(', ');

const listUnmatched = statement(
  'pm_settlements_unmatched_v4',
  (s) => `SELECT d.subject_id AS id FROM ${s}.settlement_differences d
    JOIN ${s}.settlement_lines l ON l.id = d.subject_id
    WHERE d.kind = 'no_operation' AND d.state <> 'resolved' AND (d.state = 'open' OR d.created >= $3)
      AND d.subject_id > $2 AND EXISTS (
      SELECT FROM ${s}.operations o WHERE o.processor_reference = l.processor_reference
        AND o.livemode = l.livemode AND o.processor = l.processor
      UNION ALL SELECT FROM ${s}.operations o WHERE o.id = l.operation_id
        AND o.livemode = l.livemode AND o.processor = l.processor)
    ORDER BY d.subject_id LIMIT $1`,
);
/** A difference that is open keeps the time when it was found. */
const OPENED = `state = 'open', note = NULL,
    created = CASE WHEN d.state = 'open' THEN d.created ELSE`;
const add = statement(
  'pm_settlements_add_v2',
  (s) => `INSERT INTO ${s}.settlement_differences AS d (${COLUMNS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    ON CONFLICT (subject_id, kind) DO UPDATE SET line_id = EXCLUDED.line_id,
      expected_amount = EXCLUDED.expected_amount, found_amount = EXCLUDED.found_amount,
      ${OPENED} EXCLUDED.created END
    WHERE d.state = 'resolved' OR (d.expected_amount, d.found_amount)
      IS DISTINCT FROM (EXCLUDED.expected_amount, EXCLUDED.found_amount)`,
);
const resolve = statement(
  'pm_settlements_resolve_v2',
  (s) => `UPDATE ${s}.settlement_differences SET state = 'resolved', note = NULL
    WHERE kind = $1 AND subject_id = $2
      AND (state = 'open' OR (state = 'settled' AND kind = 'no_operation'))`,
);
const compareAgain = statement(
  'pm_settlements_compare_v2',
  (s) => `WITH page AS (SELECT * FROM ${s}.settlement_differences
      WHERE kind = 'not_settled' AND id > $1 AND state <> 'resolved'
      ORDER BY id LIMIT $2 FOR NO KEY UPDATE),
    compared AS (SELECT p.id, m.moved, l.settled FROM page p
      JOIN ${s}.charges c ON (c.account_id, c.livemode, c.id) = (p.account_id, p.livemode, p.subject_id)
      CROSS JOIN LATERAL (${movedByCharge(s, 'c')}) m CROSS JOIN LATERAL (${settledOfCharge(s, 'c')}) l
      WHERE (p.expected_amount, p.found_amount) IS DISTINCT FROM (m.moved, l.settled)
        AND (p.state = 'open' OR (m.moved <> l.settled AND m.changed < $3))),
    resolved AS (UPDATE ${s}.settlement_differences d SET state = 'resolved'
      FROM compared p WHERE d.id = p.id AND p.moved = p.settled),
    opened AS (UPDATE ${s}.settlement_differences d SET expected_amount = p.moved,
        found_amount = p.settled, ${OPENED} $4 END
      FROM compared p WHERE d.id = p.id AND p.moved <> p.settled)
    SELECT max(id) AS last FROM page HAVING count(*) = $2`,
);
/** The types of balance transactions of charges, refunds and disputes. */
const PAYMENT_TYPES = ['charge', 'payment', 'refund', 'refund_failure'].concat(
  DISPUTE_KINDS,
  DISPUTE_WON_KINDS,
);
/**
 * Ledger accounts in the order of their index, and no further than the page: one for each currency of
 * each account. Then each type is a range of the list's index.
 */
const scanCharges = statement(
  'pm_settlements_scan_v4',
  (
    s,
  ) => `WITH page AS (SELECT b.account_id, b.livemode, b.currency, b.type, b.created, b.id, b.source_id
      FROM ${s}.ledger_account k
      CROSS JOIN LATERAL (SELECT o.* FROM unnest($4::text[]) AS y (type)
        CROSS JOIN LATERAL (SELECT * FROM ${s}.balance_transactions t
          WHERE t.account_id = k.account_id AND t.livemode = k.livemode AND t.currency = k.currency
            AND t.type = y.type AND t.created >= $1 AND t.created < $2 AND t.test_clock_id IS NULL
            AND ($5::text IS NULL OR (t.account_id, t.livemode, t.currency, t.type, t.created, t.id)
              > ($5, $6, $7, $8, $9, $10))
          ORDER BY t.created, t.id LIMIT $3) o
        ORDER BY o.type, o.created, o.id LIMIT $3) b
      WHERE k.code = 'processor_clearing' AND ($5::text IS NULL
        OR (k.account_id, k.livemode, k.currency) >= ($5, $6, $7))
      ORDER BY k.account_id, k.livemode, k.currency, b.type, b.created, b.id LIMIT $3)
    SELECT p.account_id, p.livemode, p.currency, p.type, p.created, p.id, c.id AS charge_id,
      c.processor_name, m.moved, l.settled, (m.changed < $2 AND m.moved <> l.settled
        AND c.created >= (SELECT min(f.settled_on) FROM ${s}.settlement_lines f
          WHERE f.livemode = c.livemode AND f.processor = c.processor_name)) IS TRUE AS wanted
    FROM page p JOIN ${s}.charges c ON c.account_id = p.account_id AND c.livemode = p.livemode
      AND c.id = COALESCE(${chargeOf(s, 'refunds')}, ${chargeOf(s, 'disputes')}, p.source_id)
    CROSS JOIN LATERAL (${movedByCharge(s, 'c')}) m CROSS JOIN LATERAL (${settledOfCharge(s, 'c')}) l
    ORDER BY p.account_id, p.livemode, p.currency, p.type, p.created, p.id`,
);
const findForUpdate = statement(
  'pm_settlements_lock_v1',
  (s) => `SELECT ${COLUMNS} FROM ${s}.settlement_differences WHERE id = $1 FOR NO KEY UPDATE`,
);
const save = statement(
  'pm_settlements_save_v1',
  (s) => `UPDATE ${s}.settlement_differences SET state = $2, note = $3 WHERE id = $1`,
);

/** Settlements on PostgreSQL, in one transaction. */
export function settlementRows(session: Session): SettlementRepository {
  return {
    ...settlementLineRows(session),
    ...comparedLines(session),
    async listUnmatched(settledSince, limit, after) {
      const values = [limit, after ?? '', settledSince];
      const { rows } = await session.query<{ id: SettlementLineId }>(listUnmatched, values);
      return rows.map(({ id }) => id);
    },
    async addDifferences(differences) {
      for (const each of differences) {
        const { id, environment, processor, kind, accountId = null, subjectId } = each;
        const { lineId = null, currency, expected = null, found, state, note = null } = each;
        await session.query(add, [
          id,
          livemode(environment),
          processor,
          kind,
          accountId,
          subjectId,
          lineId,
          currency,
          expected,
          found,
          state,
          note,
          each.created,
        ]);
      }
    },
    async resolve(kind, subjectId) {
      await session.query(resolve, [kind, subjectId]);
    },
    async compareAgain({ to, at }, limit, after) {
      const values = [after ?? '', limit, to, at];
      const { rows } = await session.query<{ last: SettlementDifferenceId }>(compareAgain, values);
      return rows[0]?.last;
    },
    async scanCharges({ from, to }, limit, after) {
      const values = [from, to, limit, PAYMENT_TYPES, ...cursorValues(after)];
      const { rows } = await session.query<ScannedRow>(scanCharges, values);
      const last = rows.length < limit ? undefined : rows.at(-1);
      const unsettled = rows.filter(({ wanted }) => wanted).map(toUnsettled);
      return last === undefined ? { unsettled } : { unsettled, next: toCursor(last) };
    },
    async findDifferenceForUpdate(id) {
      const [row] = (await session.query<DifferenceRow>(findForUpdate, [id])).rows;
      return row && toDifference(row);
    },
    async saveDifference({ id, state, note = null }) {
      await session.query(save, [id, state, note]);
    },
  };
}

/** The charge of a balance transaction (`p`) whose source is in this table. */
function chargeOf(s: string, table: 'refunds' | 'disputes'): string {
  return `(SELECT r.charge_id FROM ${s}.${table} r
    WHERE r.account_id = p.account_id AND r.livemode = p.livemode AND r.id = p.source_id)`;
}

function cursorValues(after: SettlementCursor | undefined): readonly unknown[] {
  if (after === undefined) return [null, null, null, null, null, null];
  const { accountId, environment, currency, type, created, id } = after;
  return [accountId, livemode(environment), currency, type, created, id];
}

function toCursor({ account_id, livemode: live, ...place }: ScannedRow): SettlementCursor {
  const { currency, type, created, id } = place;
  const owner = { accountId: account_id, environment: environmentOf(live) };
  return { ...owner, currency, type, created, id };
}

function toUnsettled(row: ScannedRow): UnsettledCharge {
  return {
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    chargeId: row.charge_id,
    processor: row.processor_name,
    currency: row.currency,
    moved: Number(row.moved),
    settled: Number(row.settled),
  };
}
