import type { Scan } from './rule.ts';

/** Adjustments (`b`) with the audit entries of the admins who made them (`a`). */
export const adjustmentScan: Scan = {
  from: (s) => `(SELECT * FROM ${s}.balance_transactions
      WHERE type IN ('reserve', 'release', 'write_off')) b
    FULL JOIN (SELECT * FROM ${s}.audit_log WHERE action = 'adjustment.create') a
      ON (a.account_id, a.livemode, a.target) = (b.account_id, b.livemode, b.source_id)`,
  rules: [
    {
      rule: 'An adjustment has its audit entry.',
      broken: 'b.id IS NOT NULL AND a.id IS NULL',
      subject: 'b.source_id',
      expected: `'an audit entry'`,
      found: `'none'`,
    },
    {
      rule: 'An adjustment that the audit log names was booked.',
      broken: 'a.id IS NOT NULL AND b.id IS NULL',
      subject: 'a.target',
      expected: `'a balance transaction'`,
      found: `'none'`,
    },
    {
      rule: 'An adjustment is what its audit entry says.',
      broken: `(a.after ->> 'kind', a.after ->> 'amount', a.after ->> 'currency')
        IS DISTINCT FROM (b.type, abs(b.amount)::text, b.currency)
        AND a.id IS NOT NULL AND b.id IS NOT NULL`,
      subject: 'b.source_id',
      expected: `concat_ws(' ', a.after ->> 'kind', a.after ->> 'amount', a.after ->> 'currency')`,
      found: `concat_ws(' ', b.type, abs(b.amount), b.currency)`,
    },
  ],
};

/**
 * A transaction that had posted before a write-off may have been committed after it, so that the admin did
 * not see what it credits. None is open for longer.
 */
const IN_FLIGHT = "interval '5 minutes'";

/** The parts of a balance that decide what is owed (`a`), of the write-off `w`. */
const PARTS = `(a.account_id, a.livemode, a.currency) = (w.account_id, w.livemode, w.currency)
  AND a.code IN ('available', 'pending')`;

/**
 * Write-offs (`w`) with what was payable when they were booked (`h`): what was available, less what pending
 * refunds lack. Entries have ids in the order in which they were written. Only where that was no debt, the
 * credits of those minutes are summed (`r`).
 */
export const writeOffScan: Scan = {
  parts: (s) => ({
    // Only write-offs post on losses, so each ledger is asked for those few entries, by their index.
    write_offs: `SELECT t.id, t.created, t.account_id, t.livemode, e.currency, e.id AS entry_id, e.amount
      FROM ${s}.ledger_account a
      CROSS JOIN LATERAL (SELECT * FROM ${s}.ledger_entry e
        WHERE e.ledger_account_id = a.id OFFSET 0) e
      JOIN ${s}.ledger_transaction t
        ON (t.account_id, t.livemode, t.id) = (e.account_id, e.livemode, e.transaction_id)
      WHERE a.code = 'losses' AND t.kind = 'write_off'`,
  }),
  from: (s) => `(SELECT w.entry_id,
        COALESCE(-sum(e.amount) FILTER (WHERE a.code = 'available'), 0)
          + LEAST(0, COALESCE(-sum(e.amount) FILTER (WHERE a.code = 'pending'), 0)) AS payable
      FROM write_offs w JOIN ${s}.ledger_account a ON ${PARTS}
      LEFT JOIN ${s}.ledger_entry e ON e.ledger_account_id = a.id AND e.id < w.entry_id
        AND e.transaction_id <> w.id
      GROUP BY w.entry_id) h
    JOIN write_offs w ON w.entry_id = h.entry_id
    CROSS JOIN LATERAL (SELECT COALESCE(-sum(e.amount), 0) AS credited
      FROM ${s}.ledger_account a
      JOIN ${s}.ledger_entry e ON e.ledger_account_id = a.id AND e.id < w.entry_id
        AND e.amount < 0 AND e.transaction_id <> w.id
      JOIN ${s}.ledger_transaction t
        ON (t.account_id, t.livemode, t.id) = (e.account_id, e.livemode, e.transaction_id)
      WHERE ${PARTS} AND h.payable > -w.amount AND t.created > w.created - ${IN_FLIGHT}) r`,
  rules: [
    {
      rule: 'A write-off ends a debt that the balance had.',
      broken: 'h.payable - r.credited > -w.amount',
      subject: 'w.id',
      expected: `'a debt of ' || w.amount`,
      found: `CASE WHEN h.payable < 0 THEN 'a debt of ' || -h.payable ELSE 'none' END`,
    },
  ],
};
