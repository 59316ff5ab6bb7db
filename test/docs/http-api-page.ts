import { apiDocument, apiRoutes, type Services } from '@paymount/http';
import { apiPage } from './api-page.ts';

/** `docs/reference/http-api.md`: the route table, as the OpenAPI document has it. */
export function httpApiPage(): string {
  // The table is only described here; no route is called.
  return apiPage(apiDocument(apiRoutes({} as Services)), INTRODUCTION);
}

const INTRODUCTION = `<!-- Generated from the route table by \`npm run docs\`; do not edit. -->
# HTTP API

Paths are relative to the mount. The same as OpenAPI 3.1: \`GET /v1/openapi.json\`, without a key;
[generate a client](../how-to/generate-a-client.md) from it. The names in brackets are its operation ids.

- **Credential**: the key as \`Authorization: Bearer\`, or as the user name of Basic with an empty
  password. A restricted key needs the scope that each route names; write does not imply read.
- **Body**: JSON (\`application/json\`) or a form (\`application/x-www-form-urlencoded\`, with
  \`metadata[order]=1\` and \`enabled_events[]=*\`), in UTF-8, at most 524,288 bytes. Parameters of a
  GET stand in the query: \`created[gte]=2026-11-21T10:30:00Z\`, for which curl needs \`-g\`. Unknown
  parameters are refused, and so is a name that stands twice in one JSON object; a body parser
  that runs before Paymount drops the first of the two, and nobody can tell.
- **Headers**: fewer than 1,000 lines; of more, Node would drop some.
- **Times** in answers are ISO 8601 UTC with milliseconds; of a request that carries
  \`Stripe-Version\` they are [Unix seconds](../how-to/stripe-sdk.md#times). Inputs take either; a
  bound in seconds counts a second as a whole, so \`created[lte]\` finds all of it.
- **Amounts** are integers in the currency's minor unit, 1 to 99,999,999.
- **Lists** are \`{ object: "list", url, has_more, data }\`, newest first; \`limit\` (1-100, 10),
  \`starting_after\` and \`ending_before\` page through them. One that takes over two seconds is
  refused with [\`list_too_slow\`](errors.md#list_too_slow): bounds on \`created\` make it fast.
- **Idempotency-Key** on POST and DELETE: the same key with the same parameters gets the same answer
  for 24 hours, marked \`Idempotent-Replayed: true\`. It may be sent by any key of the account, but an
  answer that shows a secret is replayed only to the key that made the request.
- **Metadata**: at most 50 keys of 40 characters, values of 500; an empty value deletes its key.
- **Texts** hold [no card number in live, and no secret](../how-to/texts-that-are-refused.md).
- **expand[]**, everywhere: replaces ids by the objects they name, in the fields marked expandable,
  up to 4 fields deep (in lists: \`data.payment_method\`; a charge also has \`refunds\`). The key must
  be allowed to read those too.
- **Errors** have one shape: [errors](errors.md). Every answer has a \`Request-Id\`.
`;
