import { readAll, type Scan } from './rule.ts';

/** What foreign keys would ensure of deliveries (`d`), if they were not checked for each insert. */
export const deliveryScan: Scan = {
  from: (s) => `${readAll(s, 'deliveries')} d
    LEFT JOIN ${readAll(s, 'events')} e
      ON (e.account_id, e.livemode, e.id) = (d.account_id, d.livemode, d.event_id)
    LEFT JOIN ${s}.webhook_endpoints w
      ON (w.account_id, w.livemode, w.id) = (d.account_id, d.livemode, d.endpoint_id)`,
  rules: [
    {
      rule: 'A delivery is of an event of its account and environment.',
      broken: 'e.id IS NULL',
      subject: 'd.id',
      expected: `'an event'`,
      found: `'none'`,
    },
    {
      rule: 'A delivery has the type of its event.',
      broken: 'd.event_type <> e.type',
      subject: 'd.id',
      expected: 'e.type',
      found: 'd.event_type',
    },
    {
      rule: 'A delivery that waits is of an event that is not expunged.',
      broken: "e.expunged_at IS NOT NULL AND d.state IN ('pending', 'parked')",
      subject: 'd.id',
      expected: `'canceled'`,
      found: 'd.state',
    },
    {
      rule: 'A delivery goes to an endpoint of its account and environment.',
      broken: 'w.id IS NULL',
      subject: 'd.id',
      expected: `'an endpoint'`,
      found: `'none'`,
    },
  ],
};
