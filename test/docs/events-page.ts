import { readdirSync, readFileSync } from 'node:fs';
import { EVENT_PATTERNS, EVENT_TYPES, type EventType } from '@paymount/core/changes';

const CORE = new URL('../../packages/core/src/', import.meta.url);

/** The specification's words (Events, Event catalogue). */
const FIRES_WHEN: Readonly<Record<EventType, string>> = {
  'charge.succeeded': 'A charge was authorised and captured at once',
  'charge.failed':
    'A charge was declined by the issuer, blocked by risk, or its authorization expired',
  'charge.captured': 'A previously authorised charge was captured',
  'charge.refunded': 'A full or partial refund completed',
  'charge.pending': 'A bank (ACH) debit was submitted and awaits clearing',
  'subscription.created': 'A subscription started',
  'subscription.renewed': 'A billing period renewed successfully',
  'subscription.payment_failed': 'A renewal charge failed and dunning has begun',
  'subscription.recovered': 'A retry succeeded after an earlier failure',
  'subscription.canceled': 'The subscription ended, by request or after dunning gave up',
  'dispute.created': 'A chargeback was filed; the response deadline starts here',
  'dispute.alert': 'A pre-dispute alert arrived; refunding avoids the chargeback',
  'dispute.won': "The issuer ruled in the merchant's favour on representment",
  'dispute.lost': 'The issuer ruled against the merchant on representment',
  'payout.paid': "Funds left the service's account for the merchant's bank",
  'payout.failed': 'The bank rejected the settlement',
};

/** The types that some transition of a state table records. */
export function firingTypes(): ReadonlySet<string> {
  const tables = readdirSync(CORE, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('-states.ts'),
  );
  const text = tables.map((file) => readFileSync(new URL(file, CORE), 'utf8')).join('\n');
  return new Set([...text.matchAll(/event: '([a-z_.]+)'/g)].map(([, type = '']) => type));
}

/** `docs/reference/events.md`: the catalogue. */
export function eventsPage(): string {
  const fires = firingTypes();
  const rows = EVENT_TYPES.map(
    (type) => `| \`${type}\` | ${FIRES_WHEN[type]} | ${fires.has(type) ? 'yes' : 'not yet'} |`,
  );
  const patterns = EVENT_PATTERNS.map((pattern) => `\`${pattern}\``).join(', ');
  return `${INTRODUCTION}
${['| Type | Fires when | Fires today |', '|---|---|---|', ...rows].join('\n')}

An endpoint lists the types it wants in \`enabled_events\`, 1 to 50 of them, or one of the patterns
${patterns}. A type that "not yet" fires may be listed already, and
[triggered](../how-to/trigger-a-test-event.md) in the test environment.
${ENVELOPE}`;
}

const INTRODUCTION = `<!-- Generated from the catalogue and the state tables by \`npm run docs\`; do not edit. -->
# Events

The catalogue is closed: these types, and no others.
`;

const ENVELOPE = `
## The envelope

\`\`\`json
{
  "id": "evt_01k8w3f0g0e5ht3nq2v7yb6c9d",
  "object": "event",
  "type": "charge.succeeded",
  "api_version": "2026-11-01",
  "created": "2026-11-21T09:30:00.000Z",
  "livemode": false,
  "data": { "object": { "id": "ch_01k8w3f0fze5ht3nq2v7yb6c9d", "object": "charge" } }
}
\`\`\`

\`data.object\` is the whole resource in the state it had reached when the event fired; for every
type that fires today it is a [charge](http-api.md#charge), also for \`charge.refunded\`. \`created\`
is ISO 8601 UTC. [Objects of events](event-objects.md) has an example of each. The body is made once,
when the event is recorded, and the same bytes are sent at every attempt.

An endpoint that was registered with a version of Stripe's API as its \`api_version\`, such as
\`2024-06-20\` or \`2025-09-30.clover\`, gets the same events in the form that Stripe's SDKs read:
\`api_version\` is that of the endpoint, and times are Unix seconds. Its replays and retries are in
that form too; what is recorded stays as it is.
 How deliveries are signed: [the receiver](receiver.md). When they are sent again:
[delivery guarantees](../explanation/delivery-guarantees.md).
`;
