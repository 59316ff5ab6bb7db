import type { Scan } from './rule.ts';

/** Notices that were applied (`n`), with the operations that they are about (`o`). */
export const noticeScan: Scan = {
  from: (s) => `(SELECT * FROM ${s}.notices WHERE state = 'applied') n
    LEFT JOIN ${s}.operations o
      ON (o.account_id, o.livemode, o.id) = (n.account_id, n.livemode, n.found_id)
    LEFT JOIN ${s}.disputes p ON (p.livemode, p.processor_name, p.processor_reference)
      = (n.livemode, n.processor, n.data ->> 'disputeReference')`,
  rules: [
    {
      rule: 'A notice that was applied is about an operation of its account and environment.',
      broken: 'n.found_id IS NOT NULL AND o.id IS NULL',
      subject: 'n.id',
      expected: 'n.found_id',
      found: `'none'`,
    },
    {
      rule: 'A chargeback that a notice opened is recorded, for its account.',
      broken: `n.kind = 'dispute.opened' AND p.account_id IS DISTINCT FROM n.account_id`,
      subject: 'n.id',
      expected: `n.data ->> 'disputeReference'`,
      found: `COALESCE(p.id, 'none')`,
    },
  ],
};
