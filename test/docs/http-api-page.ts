import { apiDocument, apiRoutes, type Services } from '@paymount/http';
import { apiPage } from './api-page.ts';

/** `docs/reference/http-api.md`: the route table, as the OpenAPI document has it. */
export function httpApiPage(): string {
  // The table is only described here; no route is called.
  return apiPage(apiDocument(apiRoutes({} as Services)), INTRODUCTION);
}

const INTRODUCTION = `<!-- Generated from the route table by \`npm run docs\`; do not edit. -->
# HTTP API

Paths are relative to the mount. The OpenAPI 3.1 document is at \`GET /v1/openapi.json\`; it requires no
key. You can [generate a client](../how-to/generate-a-client.md) from it. The names in brackets are its
operation IDs.

- **Credential**: the key as \`Authorization: Bearer\`, or as the user name of Basic with an empty
  password. A restricted key needs the scope that each route names; write does not imply read.
- **Body**: JSON (\`application/json\`) or a form (\`application/x-www-form-urlencoded\`, with
  \`metadata[order]=1\` and \`enabled_events[]=*\`), in UTF-8, at most 524,288 bytes. Parameters of a
  GET are in the query: \`created[gte]=2026-11-21T10:30:00Z\`, for which curl needs \`-g\`. Unknown
  parameters and duplicate names in a JSON object are rejected. Paymount cannot detect a duplicate name
  if a body parser that runs first has dropped it.
- **Headers**: a request may have at most 999 header lines, because Node drops lines above its limit.
- **Times** in responses are ISO 8601 UTC with milliseconds. If the request has a \`Stripe-Version\`
  header, they are [Unix seconds](../how-to/stripe-sdk.md#times). Parameters accept both forms. A bound in
  seconds covers the whole second: \`created[lte]\` includes all objects created in that second.
- **Amounts** are integers in the currency's minor unit, 1 to 99,999,999.
- **Lists** are \`{ object: "list", url, has_more, data }\`, newest first; \`limit\` (1-100, 10),
  \`starting_after\` and \`ending_before\` page through them. A list that takes more than two seconds
  fails with [\`list_too_slow\`](errors.md#list_too_slow): bounds on \`created\` make it fast.
- **Idempotency-Key** on POST and DELETE: the same key with the same parameters gets the same response
  for 24 hours, marked \`Idempotent-Replayed: true\`. It may be sent by any key of the account, but an
  response that contains a secret is replayed only to the key that made the request.
- **Metadata**: at most 50 keys of 40 characters, values of 500; an empty value deletes its key.
- **Strings** must not contain [secrets or, in the live environment, card
  numbers](../how-to/texts-that-are-refused.md).
- **\`expand[]\`** is accepted by every route. It replaces the IDs in expandable fields with the
  objects, up to 4 fields deep (in lists: \`data.payment_method\`; a charge also has \`refunds\`). The
  key must be allowed to read those objects too.
- **Errors** have one [format](errors.md). Every response has a \`Request-Id\`.
`;
