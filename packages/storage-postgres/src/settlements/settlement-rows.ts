import {
  type AccountId,
  type ChargeId,
  environmentOf,
  livemode,
  type SettlementLineId,
} from '@paymount/core/kernel';
import type { SettlementRepository, UnsettledCharge } from '@paymount/core/payments';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';
import { movedByCharge, settledOfCharge } from './charge-settlement-sql.ts';
import { DIFFERENCE_COLUMNS, type DifferenceRow, toDifference } from './settlement-directory.ts';
import { settlementLineRows } from './settlement-line-rows.ts';

interface ChargeRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly id: ChargeId;
  readonly created: Date;
  readonly processor_name: string;
  readonly currency: string;
  readonly moved: bigint;
  readonly settled: bigint;
  readonly wanted: boolean;
}

const COLUMNS = DIFFERENCE_COLUMNS.join(', ');

const listUnmatched = statement(
  'pm_settlements_unmatched_v1',
  (s) => `SELECT subject_id AS id FROM ${s}.settlement_differences
    WHERE state = 'open' AND kind = 'no_operation' AND subject_id > $2 ORDER BY subject_id LIMIT $1`,
);
const add = statement(
  'pm_settlements_add_v1',
  (s) => `INSERT INTO ${s}.settlement_differences (${COLUMNS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    ON CONFLICT (subject_id, kind) DO NOTHING`,
);
const resolve = statement(
  'pm_settlements_resolve_v1',
  (s) => `UPDATE ${s}.settlement_differences SET state = 'resolved'
    WHERE kind = $1 AND subject_id = $2 AND state = 'open'`,
);
const resolveSettled = statement(
  'pm_settlements_resolve_settled_v1',
  (s) => `UPDATE ${s}.settlement_differences u SET state = 'resolved'
    FROM (SELECT d.id FROM ${s}.settlement_differences d
      JOIN ${s}.charges c ON (c.account_id, c.livemode, c.id) = (d.account_id, d.livemode, d.subject_id)
      CROSS JOIN LATERAL (${movedByCharge(s, 'c')}) m CROSS JOIN LATERAL (${settledOfCharge(s, 'c')}) l
      WHERE d.state = 'open' AND d.kind = 'not_settled' AND m.moved = l.settled
      LIMIT $1 FOR NO KEY UPDATE OF d SKIP LOCKED) settled
    WHERE u.id = settled.id RETURNING u.id`,
);
/** The accounts one after the other, so that each is read by its index of creation. */
const scanCharges = statement(
  'pm_settlements_scan_v2',
  (s) => `WITH page AS (SELECT c.account_id, c.livemode, c.id, c.created, c.processor_name,
        c.currency
      FROM ${s}.accounts a CROSS JOIN unnest('{f,t}'::boolean[]) AS e (livemode)
      CROSS JOIN LATERAL (SELECT * FROM ${s}.charges c
        WHERE c.account_id = a.id AND c.livemode = e.livemode AND c.created >= $1 AND c.created < $2
          AND c.test_clock_id IS NULL
          AND ($4::text IS NULL OR (c.account_id, c.livemode, c.created, c.id) > ($4, $5, $6, $7))
        ORDER BY c.created, c.id LIMIT $3) c
      WHERE $4::text IS NULL OR (a.id, e.livemode) >= ($4, $5)
      ORDER BY c.account_id, c.livemode, c.created, c.id LIMIT $3)
    SELECT p.*, m.moved, l.settled, m.changed < $2 AND m.moved <> l.settled
        AND p.created >= (SELECT min(settled_on) FROM ${s}.settlement_lines f
          WHERE f.livemode = p.livemode AND f.processor = p.processor_name) IS TRUE AS wanted
    FROM page p CROSS JOIN LATERAL (${movedByCharge(s, 'p')}) m
    CROSS JOIN LATERAL (${settledOfCharge(s, 'p')}) l
    ORDER BY p.account_id, p.livemode, p.created, p.id`,
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
    async listUnmatched(limit, after) {
      const values = [limit, after ?? ''];
      const { rows } = await session.query<{ id: SettlementLineId }>(listUnmatched, values);
      return rows.map(({ id }) => id);
    },
    async addDifferences(differences) {
      for (const each of differences) {
        const { id, environment, processor, kind, accountId = null, subjectId } = each;
        const { lineId = null, currency, expected = null, found, state, note = null } = each;
        await session.query(add, [
          ...[id, livemode(environment), processor, kind, accountId, subjectId, lineId, currency],
          ...[expected, found, state, note, each.created],
        ]);
      }
    },
    async resolve(kind, subjectId) {
      await session.query(resolve, [kind, subjectId]);
    },
    async resolveSettled(limit) {
      return (await session.query(resolveSettled, [limit])).rows.length;
    },
    async scanCharges({ from, to }, limit, after) {
      const cursor = after && [
        ...[after.accountId, livemode(after.environment), after.created, after.chargeId],
      ];
      const values = [from, to, limit, ...(cursor ?? [null, null, null, null])];
      const { rows } = await session.query<ChargeRow>(scanCharges, values);
      const last = rows.length < limit ? undefined : rows.at(-1);
      const unsettled = rows.filter(({ wanted }) => wanted).map(toUnsettled);
      if (last === undefined) return { unsettled };
      const { accountId, environment, chargeId } = toUnsettled(last);
      return { unsettled, next: { accountId, environment, chargeId, created: last.created } };
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

function toUnsettled(row: ChargeRow): UnsettledCharge {
  return {
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    chargeId: row.id,
    processor: row.processor_name,
    currency: row.currency,
    moved: Number(row.moved),
    settled: Number(row.settled),
  };
}
