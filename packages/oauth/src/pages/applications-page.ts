import { type Environment, fill, type Scope } from '@paymount/core/kernel';
import { type Html, html, type RouteResponse, when } from '@paymount/http';
import type { Appearance } from './appearance.ts';
import { renderPage, testBadge } from './layout.ts';
import { query } from './query.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** An application as its page shows it. */
export interface ShownApplication {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly created: Date;
  readonly lastUsedAt?: Date;
}

/** The applications of one account of a user. */
export interface ApplicationsContent {
  readonly environment: Environment;
  readonly userName: string;
  readonly account: { readonly id: string; readonly name: string };
  /** All of the user's; the page links the others. */
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
  readonly applications: readonly ShownApplication[];
  /** The query of the next page, if there is one. */
  readonly next?: string;
  readonly csrfToken: string;
}

/** The page on which a user sees and ends the access of platforms. */
export function renderApplications(
  appearance: Appearance,
  { language, texts }: { readonly language: string; readonly texts: PageTexts },
  content: ApplicationsContent,
): RouteResponse {
  const { userName, account, accounts, applications, next } = content;
  const { title, none, mayAct, more } = texts.applications;
  const intro = fill(applications.length === 0 ? none : mayAct, { account: account.name });
  const others = accounts.filter(({ id }) => id !== account.id);
  const body = html`
${testBadge(content.environment, texts)}
<h1>${title}</h1>
<p>${fill(texts.signedInAs, { user: userName })}</p>
${when(
  others.length > 0,
  () => html`<nav aria-label="${texts.account}"><ul>
${others.map(({ id, name }) => html`<li><a href="?${query({ account: id })}">${name}</a></li>\n`)}
</ul></nav>`,
)}
<p>${intro}</p>
${applications.map((each) => renderApplication(each, { language, texts }, content))}
${when(next !== undefined, () => html`<p><a href="?${next ?? ''}">${more}</a></p>`)}`;
  return renderPage(appearance, { status: 200, language, title, body, formAction: ["'self'"] });
}

function renderApplication(
  { id, name, scopes, created, lastUsedAt }: ShownApplication,
  { language, texts }: { readonly language: string; readonly texts: PageTexts },
  { account, csrfToken }: ApplicationsContent,
): Html {
  const { allowedOn, lastUsedOn, notUsed, end } = texts.applications;
  const date = (time: Date): string =>
    new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(time);
  const used = lastUsedAt === undefined ? notUsed : fill(lastUsedOn, { date: date(lastUsedAt) });
  return html`<section>
<h2>${name}</h2>
<ul class="bullets">
${scopes.map((scope) => html`<li>${texts.scopes[scope]}</li>\n`)}
</ul>
<p>${fill(allowedOn, { date: date(created) })} ${used}</p>
<form method="post">
<input type="hidden" name="csrf_token" value="${csrfToken}">
<input type="hidden" name="account" value="${account.id}">
<input type="hidden" name="platform" value="${id}">
<button>${fill(end, { platform: name })}</button>
</form>
</section>
`;
}
