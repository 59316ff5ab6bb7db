import { APPROVED } from './charge-scan.ts';
import type { Scan } from './rule.ts';

/** Processors' fees (`t`), and the charge (`c`), refund (`r`) or operation (`o`) that each is for. */
export const feeScan: Scan = {
  from: (s) => `(SELECT * FROM ${s}.ledger_transaction WHERE kind = 'processor_fee') t
    LEFT JOIN ${s}.charges c
      ON (c.account_id, c.livemode, c.id) = (t.account_id, t.livemode, t.source_id)
    LEFT JOIN ${s}.refunds r
      ON (r.account_id, r.livemode, r.id) = (t.account_id, t.livemode, t.source_id)
    LEFT JOIN (SELECT * FROM ${s}.operations WHERE ${APPROVED}) o
      ON (o.account_id, o.livemode, o.id) = (t.account_id, t.livemode, t.source_id)`,
  rules: [
    {
      rule: "A processor's fee is for what the processor approved.",
      broken: `(c.status IN ('succeeded', 'canceled') OR r.status = 'succeeded' OR o.id IS NOT NULL)
        IS NOT TRUE`,
      subject: 't.id',
      expected: `'a charge, refund or operation that was approved'`,
      found: `COALESCE(c.status, r.status, 'none')`,
    },
  ],
};

/** Idempotency keys (`k`), and the operation (`o`) that each stands for. */
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
