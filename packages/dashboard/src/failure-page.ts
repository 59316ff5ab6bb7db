import { errorFacts, type PaymountError, type RequestId } from '@paymount/core/kernel';
import { html } from '@paymount/http';

/**
 * The page that a browser shows instead of the application: it needs no script and no file.
 * @returns the page, and its content security policy
 */
export function failurePage(error: PaymountError, requestId: RequestId) {
  const isPassing = errorFacts(error.code).status >= 429;
  const { text } = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>The dashboard cannot be shown</title>
<main>
<h1>The dashboard cannot be shown</h1>
<p>${error.message}</p>
<p>${isPassing ? 'Load this page again in a moment.' : 'Check the address.'} If it happens again, tell the operator of this service the number of the request: ${requestId}</p>
</main>
</html>
`;
  return { html: text, csp: "default-src 'none'; frame-ancestors 'none'" };
}
