import { currentHostUser, type HostUser, loginLocation, ownedAccounts } from '@paymount/auth';
import { parseId } from '@paymount/core/kernel';
import type { RouteResponse } from '@paymount/http';
import { OAUTH_PATH } from '../oauth-api.ts';
import { optional } from '../parameters.ts';
import { renderApplications, type ShownApplication } from './applications-page.ts';
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
import { query } from './query.ts';
import { type BrowserRequest, languageOf, redirect, renderNewLogin, type Site } from './site.ts';

/** The page of connected applications, below the mount. */
export const APPLICATIONS_PATH = `${OAUTH_PATH}/applications`;

/** The name of the page in its token. */
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
  const hostUser = await currentHostUser(site.identity, request);
  if (hostUser === null) {
    return redirect(loginLocation(site.identity, applicationsPath(site), { reason: 'login' }));
  }
  const search = new URLSearchParams(sent);
  const account = chooseAccount(site, hostUser, search.get('account'));
  const after = search.get('starting_after');
  const page = { limit: PAGE_LENGTH, ...(after === null ? {} : { startingAfter: after }) };
  const owner = { accountId: account.id, environment: site.environment };
  const { data, hasMore } = await site.connectedApplications.list(owner, page);
  const secret = readBrowserSecret(request, site.issuer) ?? newBrowserSecret();
  const last = data.at(-1)?.id;
  const reply = renderApplications(site.appearance, languageOf(site, request), {
    environment: site.environment,
    userName: hostUser.displayName,
    account,
    accounts: ownedAccounts(hostUser),
    applications: data.map(toShown),
    ...(hasMore && last && { next: query({ account: account.id, starting_after: last }) }),
    csrfToken: csrfToken(secret, PAGE, hostUser),
  });
  // It is sent each time, so that it outlives the page.
  const cookie = browserCookie(site.issuer, secret);
  return { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookie } };
}

/** Ends the access of a platform to an account. Again changes nothing. @throws PageError */
export async function endApplication(site: Site, asked: BrowserRequest): Promise<RouteResponse> {
  const { request, form, origin } = asked;
  if (isForeign(request, site.issuer)) throw new PageError(403, 'foreignForm');
  const hostUser = await currentHostUser(site.identity, request);
  if (hostUser === null) return renderNewLogin(site, asked, applicationsPath(site));
  const secret = readBrowserSecret(request, site.issuer);
  const isOwn =
    secret !== undefined &&
    isCsrfToken(optional(form, 'csrf_token'), csrfToken(secret, PAGE, hostUser));
  if (!isOwn) throw new PageError(403, 'oldForm', applicationsPath(site));
  const account = chooseAccount(site, hostUser, optional(form, 'account') ?? '');
  const platform = parseId('ca', optional(form, 'platform'));
  if (platform !== undefined) {
    const owner = { accountId: account.id, environment: site.environment };
    await site.grants.revokeAll(owner, platform, {
      reason: 'owner',
      by: { actor: { type: 'user', id: hostUser.userId }, via: 'session', ...origin },
    });
  }
  return redirect(`${applicationsPath(site)}?${query({ account: account.id })}`);
}

/** @param named null: the first one */
function chooseAccount(site: Site, hostUser: HostUser, named: string | null) {
  const accounts = ownedAccounts(hostUser);
  if (accounts.length === 0) throw new PageError(403, 'noAccounts');
  const account = named === null ? accounts[0] : accounts.find(({ id }) => id === named);
  if (account === undefined) throw new PageError(403, 'otherAccount', applicationsPath(site));
  return account;
}

function applicationsPath(site: Site): string {
  return publicPath(site, APPLICATIONS_PATH);
}

type Listed = Awaited<ReturnType<Site['connectedApplications']['list']>>['data'][number];

function toShown({ id, name, scopes, created, last_used_at: usedAt }: Listed): ShownApplication {
  return {
    id,
    name,
    scopes,
    created: new Date(created),
    ...(usedAt === null ? {} : { lastUsedAt: new Date(usedAt) }),
  };
}
