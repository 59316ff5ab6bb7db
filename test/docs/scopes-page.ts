import { SCOPES, type Scope } from '@paymount/core/kernel';
import { apiRoutes, type Route, type Services } from '@paymount/http';

/** What a scope is for, where its routes do not say it. */
const MEANS: Readonly<Record<Scope, string>> = {
  'charges:read': 'See charges and refunds',
  'charges:write': 'Charge cards, capture, cancel and refund',
  'customers:read': 'See customers, payment methods and tokens',
  'customers:write': 'Change customers and their balances, make tokens and payment methods',
  'subscriptions:write':
    'Set prices, move the balances of customers; subscriptions, once there are some',
  'payouts:read': 'See the balance and its transactions',
  'disputes:write': 'Upload evidence, see and answer disputes',
  'webhooks:write': 'Register endpoints; see and replay events, each with the scope of its object',
};

/** `docs/reference/scopes.md`: what each scope opens, from the route table. */
export function scopesPage(): string {
  // The table is only described here; no route is called.
  const routes = apiRoutes({} as Services);
  const rows = SCOPES.map(
    (scope) => `| \`${scope}\` | ${MEANS[scope]} | ${renderList(routes, scope) || 'Nothing yet'} |`,
  );
  const table = ['| Scope | For | Opens |', '|---|---|---|', ...rows].join('\n');
  const open = routes.filter(({ facts }) => facts.publishable === true).map(renderName);
  return `${INTRODUCTION}
${table}

${OTHERS}
A publishable key is in every browser that pays. It may use ${open.join(' and ')}, and nothing else.

A secret key may use every route. These are for secret keys alone, as no scope covers them:
${renderList(routes, 'secret_key')}.
${REFUSALS}`;
}

function renderList(routes: readonly Route[], scope: Route['facts']['scope']): string {
  return routes
    .filter(({ facts }) => facts.scope === scope || facts.orScope === scope)
    .map(renderName)
    .join(', ');
}

function renderName({ method, pattern }: Route): string {
  return `\`${method} ${pattern}\``;
}

const INTRODUCTION = `<!-- Generated from the route table by \`npm run docs\`; do not edit. -->
# Scopes

A restricted key may do what its scopes say, and it has at least one. A scope to write does not
include the one to read.
`;

const OTHERS = `\`expand\` shows no more than asking for the object would: expanding a charge's \`balance_transaction\`
takes \`payouts:read\` as well. The \`source\` of a balance transaction stays an id if it is a charge or a
refund and the key lacks \`charges:read\`, or if it is a dispute and the key lacks \`disputes:write\`.

An event shows its object, so to read it takes the scope of the object as well: \`charges:read\` for
\`charge.*\`, \`payouts:read\` for \`payout.*\`, \`disputes:write\` for \`dispute.*\`, and
\`subscriptions:write\` for \`subscription.*\`. The same holds for tokens of platforms:

| With \`webhooks:write\` and some of these scopes | |
|---|---|
| \`GET /v1/events\`, \`GET /v1/events/stream\` | show the types that the key may read; 403 if it names another type in \`type\` or \`types\`, or may read none |
| \`GET /v1/events/:id\` | 403 without the scope of its object |
| \`GET /v1/deliveries/:id\` | \`request_body\` and the bodies of responses are null without the scope; everything else is there |
| \`POST /v1/events/:id/replay\`, \`POST /v1/replays\` | 403 without the scopes of all types that are sent: the key could send the past to itself. A replay without \`types\` sends all types |
| \`POST /v1/test_helpers/events\` | 403 for an \`object\` that the key may not read |

To register an endpoint is not reading: it takes \`webhooks:write\` alone, for events of every type. What happens from
then on is sent to its URL, which the owner sees in the dashboard and in the audit log.

## The other types of keys
`;

const REFUSALS = `
## What a refusal says

403 \`insufficient_scope\` names what is missing and what is there, in the body and in
\`WWW-Authenticate\` (RFC 6750):

\`\`\`text
HTTP/1.1 403 Forbidden
WWW-Authenticate: Bearer error="insufficient_scope", scope="charges:write"
\`\`\`

\`\`\`json
{
  "error": {
    "type": "permission_error",
    "code": "insufficient_scope",
    "message": "This key lacks charges:write.",
    "required_scope": "charges:write",
    "granted_scopes": ["charges:read"]
  }
}
\`\`\`

403 \`secret_key_required\` and 403 \`publishable_key_not_allowed\` say that no scope would help.
Nothing was done, and nothing was looked up: the answer is the same whether the object exists or not.

Scopes are given when a [key](keys.md) is made, and can be changed while it works. Fewer scopes hold
in every process within 500 ms of the answer.
`;
