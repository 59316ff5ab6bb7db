import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';

const LIMIT_MS = 600_000;
const MAX_DIFFERENCES = 1_000;

/** One place where the books do not agree with themselves. */
export interface Difference {
  /** Which rule is broken, as a sentence. */
  readonly rule: string;
  /** The id of the row at fault, and its currency where that matters. */
  readonly subject: string;
  /** Minor units, or a word. */
  readonly expected: string;
  readonly found: string;
}

interface Check {
  readonly rule: string;
  /** Selects subject, expected, found of each row that breaks the rule. */
  readonly sql: (schema: string) => string;
}

const CHECKS: readonly Check[] = [
  {
    rule: 'The entries of a ledger transaction sum to zero per currency.',
    sql: (s) => `SELECT transaction_id || ' ' || currency, '0', sum(amount)::text
      FROM ${s}.ledger_entry GROUP BY transaction_id, currency HAVING sum(amount) <> 0`,
  },
  {
    rule: 'A ledger transaction has entries.',
    sql: (s) => `SELECT t.id, 'entries', 'none' FROM ${s}.ledger_transaction t
      WHERE NOT EXISTS (SELECT FROM ${s}.ledger_entry e WHERE e.transaction_id = t.id)`,
  },
  {
    rule: 'The balance of a limited ledger account is what its entries sum to.',
    sql: (s) => `SELECT a.account_id || ' ' || a.code || ' ' || a.currency,
        COALESCE(e.amount, 0)::text, (a.balance + COALESCE(t.amount, 0))::text
      FROM ${s}.ledger_account a
      LEFT JOIN (SELECT ledger_account_id AS id, -sum(amount) AS amount
        FROM ${s}.ledger_entry GROUP BY 1) e USING (id)
      LEFT JOIN (SELECT ledger_account_id AS id, sum(amount) AS amount
        FROM ${s}.ledger_tail GROUP BY 1) t USING (id)
      WHERE a.balance + COALESCE(t.amount, 0) <> COALESCE(e.amount, 0)`,
  },
  {
    rule: 'A balance transaction agrees with the entries of its posting.',
    sql: (s) => `SELECT b.id, b.amount || ' fee ' || b.fee,
        COALESCE(p.gross || ' fee ' || p.fee, 'no posting')
      FROM ${s}.balance_transactions b LEFT JOIN (${postingSums(s)}) p
        ON (p.account_id, p.livemode, p.source_id) = (b.account_id, b.livemode, b.source_id)
        AND p.currency = b.currency
        AND p.kind = CASE b.type WHEN 'charge' THEN 'capture' ELSE b.type END
      WHERE (p.gross, p.fee) IS DISTINCT FROM (b.amount::numeric, b.fee::numeric)`,
  },
  {
    rule: 'A posting that moves money shows in the balance history.',
    sql: (s) => `SELECT t.id, 'a balance transaction', 'none' FROM ${s}.ledger_transaction t
      WHERE t.kind IN ('capture', 'refund', 'refund_failure') AND NOT EXISTS (
        SELECT FROM ${s}.balance_transactions b
        WHERE (b.account_id, b.livemode, b.source_id) = (t.account_id, t.livemode, t.source_id)
        AND b.type = CASE t.kind WHEN 'capture' THEN 'charge' ELSE t.kind END)`,
  },
  {
    rule: 'Funds are moved to available exactly when their balance transaction says so.',
    sql: (s) => `SELECT COALESCE(b.id, t.source_id), COALESCE(b.status, 'a balance transaction'),
        CASE WHEN t.id IS NULL THEN 'not moved' ELSE 'moved' END
      FROM (SELECT * FROM ${s}.ledger_transaction WHERE kind = 'availability') t
      FULL JOIN ${s}.balance_transactions b
        ON (b.account_id, b.livemode, b.id) = (t.account_id, t.livemode, t.source_id)
      WHERE t.id IS NOT NULL AND b.status IS DISTINCT FROM 'available'
        OR t.id IS NULL AND b.type = 'charge' AND b.status = 'available' AND b.amount <> b.fee`,
  },
  {
    rule: 'A succeeded charge has one capture of its amount, and no other charge has any.',
    sql: (s) => `SELECT COALESCE(c.id, p.source_id),
        COALESCE(CASE WHEN c.status = 'succeeded' THEN c.amount_captured::text END, 'no capture'),
        COALESCE(p.gross::text, 'no capture')
      FROM ${s}.charges c FULL JOIN (${postingSums(s)} HAVING t.kind = 'capture') p
        ON (p.account_id, p.livemode, p.source_id) = (c.account_id, c.livemode, c.id)
      WHERE CASE WHEN c.status = 'succeeded' THEN c.amount_captured END IS DISTINCT FROM p.gross`,
  },
  {
    rule: 'The refunded amount of a charge is the sum of its pending and succeeded refunds.',
    sql: (s) => `SELECT c.id, COALESCE(sum(r.amount), 0)::text, c.amount_refunded::text
      FROM ${s}.charges c LEFT JOIN ${s}.refunds r
        ON (r.account_id, r.livemode, r.charge_id) = (c.account_id, c.livemode, c.id)
        AND r.status IN ('pending', 'succeeded') AND r.balance_transaction_id IS NOT NULL
      GROUP BY c.account_id, c.livemode, c.id
      HAVING c.amount_refunded <> COALESCE(sum(r.amount), 0)`,
  },
];

/** What each posting did to the processor's debt and to the fees, per transaction. */
function postingSums(s: string): string {
  return `SELECT t.account_id, t.livemode, t.kind, t.source_id, e.currency,
      COALESCE(sum(e.amount) FILTER (WHERE a.code = 'processor_clearing'), 0) AS gross,
      COALESCE(-sum(e.amount) FILTER (WHERE a.code = 'fees_revenue'), 0) AS fee
    FROM ${s}.ledger_transaction t
    JOIN ${s}.ledger_entry e ON (e.account_id, e.livemode, e.transaction_id)
      = (t.account_id, t.livemode, t.id)
    JOIN ${s}.ledger_account a ON a.id = e.ledger_account_id
    GROUP BY t.account_id, t.livemode, t.id, t.kind, t.source_id, e.currency`;
}

const verify = statement(
  'pm_ledger_verify_v1',
  (s) =>
    `${CHECKS.map(
      ({ sql }, index) => `SELECT ${index} AS check, v.subject, v.expected, v.found
      FROM (${sql(s)}) AS v (subject, expected, found)`,
    ).join('\nUNION ALL\n')} LIMIT ${MAX_DIFFERENCES}`,
  LIMIT_MS,
);

/**
 * Recomputes sums, balances, balance transactions and captures from the entries, in one statement
 * and hence of one moment.
 * @returns what does not agree, at most 1,000; empty is good
 */
export async function verifyLedger(session: Session): Promise<readonly Difference[]> {
  const { rows } = await session.query<Omit<Difference, 'rule'> & { check: number }>(verify, []);
  return rows.map(({ check, subject, expected, found }) => ({
    rule: CHECKS[check]?.rule ?? '',
    subject,
    expected,
    found,
  }));
}
