import { ERROR_CODES, type ErrorType } from '@paymount/core/kernel';

const TYPES: Record<ErrorType, string> = {
  invalid_request_error: 'The request cannot be done as it was sent.',
  idempotency_error: 'An `Idempotency-Key` was used in a way that cannot be.',
  authentication_error: 'The credential is missing, wrong, or of the other environment.',
  permission_error: 'The credential is good, and lacks the right.',
  rate_limit_error: 'Too many requests came in too little time.',
  card_error: 'The payment was declined, or the card data cannot be right.',
  api_error: 'Something failed on our side or beyond.',
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

Every refusal and failure is JSON of one shape; the HTTP status follows from the code.

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
- \`decline_code\` is the issuer's own word, with card errors.
- \`doc_url\` is this page, or that of [the option \`docUrl\`](options.md), or the mount's own with
  [\`apiPage\`](paymount.md). The mount's own is a path without a host, such as
  \`/payments/v1/docs#amount_too_small\`: resolve it against the address that you asked.
- \`request_id\` is also in the \`Request-Id\` header; quote it when you ask for help.
- \`Retry-After\` says in seconds when to try again, where trying again makes sense. Send the same
  \`Idempotency-Key\` then, and nothing is done twice.
- Errors that say more carry more: \`insufficient_scope\` has \`required_scope\` and
  \`granted_scopes\`, \`method_not_allowed\` has \`allowed_methods\`, a declined charge has \`charge\`.
`;
