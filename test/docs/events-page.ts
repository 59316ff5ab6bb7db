import { EVENT_PATTERNS, EVENT_TYPES } from '@paymount/core/changes';
import { EVENT_CATALOGUE, transitionsThatRecord } from '@paymount/core/events';

/** `docs/reference/events.md`: the catalogue. */
export function eventsPage(): string {
  const rows = EVENT_TYPES.map((type) => {
    const { meaning } = EVENT_CATALOGUE[type];
    const recorded = transitionsThatRecord(type).map(linkToState).join(', ');
    return `| \`${type}\` | ${meaning} | ${recorded} |`;
  });
  const patterns = EVENT_PATTERNS.map((pattern) => `\`${pattern}\``).join(', ');
  return `${INTRODUCTION}
${['| Type | Fires when | [Trigger](states.md) |', '|---|---|---|', ...rows].join('\n')}

An endpoint lists the types it wants in \`enabled_events\`, 1 to 50 of them, or one of the patterns
${patterns}. Any type can be [triggered](../how-to/trigger-a-test-event.md) in the test environment.
${ENVELOPE}`;
}

/** A trigger, such as `charges.sale_approved`, with a link to the states of its resource. */
function linkToState(transition: string): string {
  const [resource = '', trigger = ''] = transition.split('.');
  return `[${trigger.replaceAll('_', ' ')}](states.md#${resource})`;
}

const INTRODUCTION = `<!-- Generated from the catalogue by \`npm run docs\`; do not edit. -->
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

\`data.object\` is the whole resource in the state it had reached when the event fired; of
\`charge.refunded\` it is the [charge](http-api.md#charge), not the refund. \`created\`
is ISO 8601 UTC. [Objects of events](event-objects.md) has an example of each. The body is made once,
when the event is recorded, and the same bytes are sent at every attempt.

An endpoint that was registered with a version of Stripe's API as its \`api_version\`, such as
\`2024-06-20\` or \`2025-09-30.clover\`, gets the same events in the form that Stripe's SDKs read:
\`api_version\` is that of the endpoint, and times are Unix seconds. Its replays and retries are in
that form too; what is recorded stays as it is.
 How deliveries are signed: [the receiver](receiver.md). When they are sent again:
[delivery guarantees](../explanation/delivery-guarantees.md).
`;
