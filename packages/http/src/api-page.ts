import { ERROR_CODES } from '@paymount/core/kernel';
import { escaped } from './html.ts';
import type { RouteResponse } from './render-response.ts';
import type { Route } from './routing/route.ts';

/** The path of the page, if a mount serves it. */
export const API_PAGE_PATH = '/v1/docs';

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  // It loads no resources, and cannot be framed.
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
} as const;

/** The page of the API: its routes, and every error code under an anchor of its own. */
export function apiPage(routes: readonly Route[]): RouteResponse {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Payments API</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 50rem; padding: 0 1rem }
code { font-size: 0.9em } td { padding: 0.1rem 1rem 0.1rem 0; vertical-align: top }
:target { background: #fff3bf }
</style>
<h1>Payments API</h1>
<p>The <a href="openapi.json">OpenAPI document</a> describes every parameter and answer.</p>
<h2>Routes</h2>
<table>
${routes.map(toRow).join('\n')}
</table>
<h2>Errors</h2>
${Object.entries(ERROR_CODES).map(renderSection).join('\n')}
</html>
`;
  return { status: 200, body, headers: HEADERS };
}

function toRow({ method, pattern, facts }: Route): string {
  return `<tr><td><code>${method}</code><td><code>${escaped(pattern)}</code><td>${marked(facts.summary)}`;
}

function renderSection([code, { type, status, meaning, cure }]: [
  string,
  (typeof ERROR_CODES)[keyof typeof ERROR_CODES],
]): string {
  const facts = `${status}, <code>${type}</code>. ${marked(meaning)} ${marked(cure)}`;
  return `<h3 id="${code}"><code>${code}</code></h3>\n<p>${facts}`;
}

/** Backticks mark code. */
function marked(text: string): string {
  return escaped(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}
