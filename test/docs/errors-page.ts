import { ERROR_CODES, type ErrorType } from '@paymount/core/kernel';

const TYPES: Record<ErrorType, string> = {
  invalid_request_error: 'The request is invalid, or conflicts with the state of an object.',
  idempotency_error: 'The `Idempotency-Key` is invalid, or conflicts with an earlier request.',
  authentication_error: 'The credential is missing, invalid, or for the other environment.',
  permission_error: 'The credential is valid but does not have the required permission.',
  rate_limit_error: 'Too many requests were sent in a short time.',
  card_error: 'The payment was declined, or the card data is invalid.',
  api_error: 'An error occurred in Paymount or in the processor.',
};

/** `docs/reference/errors.md`: every code of the one table, each under its own heading. */
export function errorsPage(): string {
  const codes = Object.entries(ERROR_CODES);
  const sections = Object.entries(TYPES).map(([type, meaning]) => {
    const entries = codes
      .filter(([, facts]) => facts.type === type)
      .sort(([a, left], [b, right]) => left.status - right.status || (a < b ? -1 : 1))
      .map(
        ([code, facts]) =>
          `### ${code}\n\n${describeStatus(code, facts.status)}. ${facts.meaning} ${facts.cure}\n`,
      );
    return `## ${type}\n\n${meaning}\n\n${entries.join('\n')}`;
  });
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

function describeStatus(code: string, status: number): string {
  return code === 'resource_missing' ? '404 in the path, 400 in a parameter' : `${status}`;
}

const INTRODUCTION = `<!-- Generated from packages/core/src/kernel/errors/error-codes.ts by \`npm run docs\`; do not edit. -->
# Errors

All errors have the same JSON format.

\`\`\`json
{
  "error": {
    "type": "invalid_request_error",
    "code": "amount_too_small",
    "message": "An amount is at least 1 minor unit.",
    "param": "amount",
    "doc_url": "https://github.com/paymount/paymount/blob/main/docs/reference/errors.md#amount_too_small",
    "request_id": "req_01kahq3v5tfjrs1n1yvtbd2p2k"
  }
}
\`\`\`

- \`param\` names the parameter at fault: \`card[exp_month]\`, \`enabled_events[0]\`.
- \`decline_code\` is the reason code from the issuer. Only card errors have it.
- \`doc_url\` links to this page, to the page set with [the option \`docUrl\`](options.md), or, with
  [\`apiPage\`](paymount.md), to the page that the mount serves. That link is a path without a host, such
  as \`/payments/v1/docs#amount_too_small\`: resolve it against the URL of your request.
- \`request_id\` is also in the \`Request-Id\` header; quote it when you ask for help.
- \`Retry-After\` is the number of seconds after which to try again. Only errors that can be retried have
  it. Send the same \`Idempotency-Key\`, so that nothing is done twice.
- Some errors have additional fields: \`insufficient_scope\` has \`required_scope\` and
  \`granted_scopes\`, \`method_not_allowed\` has \`allowed_methods\`, a declined charge has \`charge\`.
`;
