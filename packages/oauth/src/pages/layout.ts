import type { Environment } from '@paymount/core/kernel';
import { Html, html, type RouteResponse, when } from '@paymount/http';
import type { Appearance } from './appearance.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** A page of one language. */
export interface PageContent {
  readonly status: number;
  readonly language: string;
  readonly title: string;
  readonly body: Html;
  /** Where its forms may lead, as sources of a content security policy. */
  readonly formAction: readonly string[];
}

/** A whole page: without scripts, never in a frame, never stored. */
export function renderPage(
  { name, logoUrl, css, csp }: Appearance,
  { status, language, title, body, formAction }: PageContent,
): RouteResponse {
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(css)}</style>
</head>
<body>
<main>
${when(name !== undefined || logoUrl !== undefined, () => html`<header>${when(logoUrl !== undefined, () => html`<img src="${logoUrl ?? ''}" alt="">`)}${name ?? ''}</header>`)}
${body}
</main>
</body>
</html>
`;
  const sources = formAction.length === 0 ? "'none'" : formAction.join(' ');
  return {
    status,
    body: page.text,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `${csp}; form-action ${sources}`,
      'X-Frame-Options': 'DENY',
    },
  };
}

/** What every page says in the test environment; nothing in live. */
export function testBadge(environment: Environment, { testMode }: PageTexts): Html {
  return when(environment === 'test', () => html`<p class="badge">${testMode}</p>`);
}
