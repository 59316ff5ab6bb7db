import { APPROVED } from './charge-scan.ts';
import type { Scan } from './rule.ts';

/** As text, so that values other than numbers are found too. */
const TOLD = `COALESCE(l.fee::text, COALESCE(s.outcome, o.outcome) ->> 'fee', '0')`;
/** Of the fee of a line, an outcome may have told a part before. */
const DIFFERS = `CASE WHEN l.id IS NULL THEN e.booked::text <> ${TOLD} ELSE e.booked > l.fee END`;

/**
 * Processors' fees (`t`) with the approved operation that each is booked for: by the operation's
 * own id (`o`) if it only authorized a charge or answered a dispute, otherwise by its charge or
 * refund (`s`); or with the settlement line (`l`) that told it.
 * `bookProcessorFee` of the core says the same.
 */
export const feeScan: Scan = {
  from: (s) => `(SELECT * FROM ${s}.ledger_transaction WHERE kind = 'processor_fee') t
    LEFT JOIN (SELECT e.transaction_id, sum(e.amount) AS booked
      FROM ${s}.ledger_entry e JOIN ${s}.ledger_account a ON a.id = e.ledger_account_id
      WHERE a.code = 'processor_fees' GROUP BY e.transaction_id) e ON e.transaction_id = t.id
    LEFT JOIN ${s}.charges c
      ON (c.account_id, c.livemode, c.id) = (t.account_id, t.livemode, t.source_id)
    LEFT JOIN (SELECT * FROM ${s}.operations WHERE ${APPROVED}) s
      ON (s.account_id, s.livemode, s.subject_id) = (t.account_id, t.livemode, t.source_id)
        AND (s.kind = 'authorize') = COALESCE(c.capture_method = 'automatic', false)
    LEFT JOIN (SELECT * FROM ${s}.operations WHERE ${APPROVED}) o
      ON (o.account_id, o.livemode, o.id) = (t.account_id, t.livemode, t.source_id)
    LEFT JOIN ${s}.settlement_lines l
      ON (l.account_id, l.livemode, l.id) = (t.account_id, t.livemode, t.source_id)`,
  rules: [
    {
      rule: "A processor's fee is for what the processor approved.",
      broken: 's.id IS NULL AND o.id IS NULL AND l.id IS NULL',
      subject: 't.id',
      expected: `'a charge, refund or operation that was approved'`,
      found: `'none'`,
    },
    {
      rule: "A processor's fee is what the processor told.",
      broken: `(s.id IS NOT NULL OR o.id IS NOT NULL OR l.id IS NOT NULL) AND ${DIFFERS}`,
      subject: 't.id',
      expected: TOLD,
      found: 'e.booked',
    },
  ],
};

/** Idempotency keys (`k`) with their operations (`o`). */
export const keyScan: Scan = {
  from: (s) => `(SELECT * FROM ${s}.idempotency_keys WHERE operation_id IS NOT NULL) k
    LEFT JOIN ${s}.operations o
      ON (o.account_id, o.livemode, o.id) = (k.account_id, k.livemode, k.operation_id)`,
  rules: [
    {
      rule: 'The operation of an idempotency key exists, and was asked for under that key.',
      broken: 'o.idempotency_key IS DISTINCT FROM k.key',
      subject: 'k.operation_id',
      expected: `'the operation of its key'`,
      found: `CASE WHEN o.id IS NULL THEN 'none' ELSE 'that of another key' END`,
    },
  ],
};
