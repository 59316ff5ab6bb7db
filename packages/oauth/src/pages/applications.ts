import { parseId } from '@paymount/core/kernel';
import type { RouteResponse } from '@paymount/http';
import { authorizableAccounts, currentVisitor, loginLocation, type Visitor } from '../identity.ts';
import { OAUTH_PATH } from '../oauth-api.ts';
import { optional } from '../parameters.ts';
import { query, renderApplications, type ShownApplication } from './applications-page.ts';
import {
  browserCookie,
  csrfToken,
  isCsrfToken,
  isForeign,
  newBrowserSecret,
  readBrowserSecret,
} from './browser-secret.ts';
import { PageError } from './page-error.ts';
import { publicPath } from './public-path.ts';
import { type BrowserRequest, languageOf, redirect, type Site } from './site.ts';

/** The page of connected applications, below the mount. */
export const APPLICATIONS_PATH = `${OAUTH_PATH}/applications`;

/** The name of the page in its cookie and its token. */
const PAGE = 'apps';
const PAGE_LENGTH = 20;

/**
 * Shows a user the platforms that may act for one of their accounts.
 * @throws PageError; PaymountError `invalid_cursor`
 */
export async function showApplications(
  site: Site,
  { request, query: sent }: BrowserRequest,
): Promise<RouteResponse> {
  const visitor = await currentVisitor(site.identity, request);
  if (visitor === null) return toLogin(site);
  const search = new URLSearchParams(sent);
  const account = chooseAccount(visitor, search.get('account'));
  const after = search.get('starting_after');
  const page = { limit: PAGE_LENGTH, ...(after === null ? {} : { startingAfter: after }) };
  const owner = { accountId: account.id, environment: site.environment };
  const { data, hasMore } = await site.connectedApplications.list(owner, page);
  const known = readBrowserSecret(request, site.issuer, PAGE);
  const secret = known ?? newBrowserSecret();
  const last = data.at(-1)?.id;
  const reply = renderApplications(site.appearance, languageOf(site, request), {
    userName: visitor.displayName,
    account,
    accounts: authorizableAccounts(visitor),
    applications: data.map(toShown),
    ...(hasMore && last && { next: query({ account: account.id, starting_after: last }) }),
    csrfToken: csrfToken(secret, PAGE, visitor),
  });
  if (known !== undefined) return reply;
  const cookie = browserCookie(site.issuer, PAGE, secret);
  return { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookie } };
}

/** Ends the access of a platform to an account. Again changes nothing. @throws PageError */
export async function endApplication(
  site: Site,
  { request, form, origin }: BrowserRequest,
): Promise<RouteResponse> {
  if (isForeign(request, site.issuer)) throw new PageError(403, 'foreignForm');
  const visitor = await currentVisitor(site.identity, request);
  if (visitor === null) return toLogin(site);
  const secret = readBrowserSecret(request, site.issuer, PAGE);
  const isOwn =
    secret !== undefined &&
    isCsrfToken(optional(form, 'csrf_token'), csrfToken(secret, PAGE, visitor));
  if (!isOwn) throw new PageError(403, 'foreignForm');
  const account = chooseAccount(visitor, optional(form, 'account') ?? '');
  const platform = parseId('ca', optional(form, 'platform'));
  if (platform !== undefined) {
    const owner = { accountId: account.id, environment: site.environment };
    await site.grants.revokeAll(owner, platform, {
      reason: 'owner',
      by: { actor: { type: 'user', id: visitor.userId }, via: 'session', ...origin },
    });
  }
  return redirect(`${publicPath(site, APPLICATIONS_PATH)}?${query({ account: account.id })}`);
}

/** @param named null: the first one */
function chooseAccount(visitor: Visitor, named: string | null) {
  const accounts = authorizableAccounts(visitor);
  if (accounts.length === 0) throw new PageError(403, 'noAccounts');
  const account = named === null ? accounts[0] : accounts.find(({ id }) => id === named);
  if (account === undefined) throw new PageError(403, 'otherAccount');
  return account;
}

function toLogin(site: Site): RouteResponse {
  const returnTo = publicPath(site, APPLICATIONS_PATH);
  return redirect(loginLocation(site.identity, returnTo, { reason: 'login' }));
}

type Listed = Awaited<ReturnType<Site['connectedApplications']['list']>>['data'][number];

function toShown({ id, name, scopes, created, last_used_at: usedAt }: Listed): ShownApplication {
  return {
    ...{ id, name, scopes, created: new Date(created) },
    ...(usedAt === null ? {} : { lastUsedAt: new Date(usedAt) }),
  };
}
