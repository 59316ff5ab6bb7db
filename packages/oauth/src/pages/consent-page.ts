import { type Environment, fill, type Scope } from '@paymount/core/kernel';
import type { Platform } from '@paymount/core/oauth';
import { type Html, html, type RouteResponse, when } from '@paymount/http';
import type { Appearance } from './appearance.ts';
import { renderPage, testBadge } from './layout.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** What a user is asked to approve. */
export interface Consent {
  readonly platform: Pick<Platform, 'name' | 'callbackOrigins'>;
  readonly redirectUri: string;
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  readonly userName: string;
  /** Those for which the user may approve. */
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
  /** The scopes that are checked, and the account that is selected. */
  readonly selected: readonly Scope[];
  readonly account?: string;
  readonly csrfToken: string;
  /** What was wrong with the last answer. */
  readonly error?: string;
}

const MOVES_MONEY: ReadonlySet<Scope> = new Set(['charges:write', 'subscriptions:write']);

/** The page on which a user approves or refuses a platform. It works without JavaScript. */
export function renderConsent(
  appearance: Appearance,
  { language, texts }: { readonly language: string; readonly texts: PageTexts },
  consent: Consent,
): RouteResponse {
  const { platform, redirectUri, environment, userName, accounts, error, csrfToken } = consent;
  const title = fill(texts.title, { platform: platform.name });
  const mayApprove = accounts.length > 0;
  const body = html`
${testBadge(environment, texts)}
<h1>${title}</h1>
<p>${fill(texts.signedInAs, { user: userName })}</p>
${when(error !== undefined, () => html`<p class="error" role="alert">${error ?? ''}</p>`)}
<form method="post">
<input type="hidden" name="csrf_token" value="${csrfToken}">
${mayApprove ? choices(texts, consent) : html`<p class="error">${texts.errors.noAccounts}</p>`}
<p>${fill(texts.returnTo, { host: hostOf(redirectUri) })}</p>
<p class="buttons">
${when(mayApprove, () => html`<button name="decision" value="approve">${texts.allow}</button>`)}
<button name="decision" value="deny" formnovalidate>${texts.cancel}</button>
</p>
</form>`;
  const formAction = ["'self'", sourceOf(redirectUri), ...platform.callbackOrigins];
  return renderPage(appearance, {
    status: error === undefined ? 200 : 400,
    language,
    title,
    body,
    formAction,
  });
}

function choices(
  texts: PageTexts,
  { accounts, account, platform, scopes, selected }: Consent,
): Html {
  return html`
${accountPicker(texts, accounts, account)}
<fieldset>
<legend>${fill(texts.permissions, { platform: platform.name })}</legend>
<ul>
${scopes.map((scope) => scopeChoice(texts, scope, selected.includes(scope)))}
</ul>
<p>${texts.permissionsHelp} ${texts.withdraw}</p>
</fieldset>`;
}

function accountPicker(
  texts: PageTexts,
  accounts: Consent['accounts'],
  selected: string | undefined,
): Html {
  const [only, ...others] = accounts;
  if (only !== undefined && others.length === 0) {
    return html`<p>${texts.account}: <strong>${only.name}</strong></p>
<input type="hidden" name="account" value="${only.id}">`;
  }
  return html`<label for="account">${texts.account}</label>
<select id="account" name="account" required>
<option value="">${texts.chooseAccount}</option>
${accounts.map(({ id, name }) => html`<option value="${id}"${when(id === selected, () => html` selected`)}>${name}</option>\n`)}
</select>`;
}

function scopeChoice(texts: PageTexts, scope: Scope, isChecked: boolean): Html {
  const money = when(
    MOVES_MONEY.has(scope),
    () => html` <span class="money">(${texts.movesMoney})</span>`,
  );
  return html`<li><label><input type="checkbox" name="scope" value="${scope}"${when(isChecked, () => html` checked`)}> <span>${texts.scopes[scope]}${money}</span></label></li>
`;
}

/** What a user knows an address by. */
function hostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  // What follows the scheme of an app may look like somebody else's host.
  return /^https?:$/.test(protocol) ? host : protocol;
}

/**
 * The source by which a content security policy names an address: Chromium checks every redirect
 * after a form. An address of IPv6 has no source, and neither has an app's own scheme.
 */
function sourceOf(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri);
  const hasSource = /^https?:$/.test(protocol) && !hostname.startsWith('[');
  return hasSource ? origin : protocol;
}
