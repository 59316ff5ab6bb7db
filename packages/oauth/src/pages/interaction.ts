import {
  currentHostUser,
  type HostUser,
  type LoginHint,
  loginLocation,
  ownedAccounts,
} from '@paymount/auth';
import { hashCredential } from '@paymount/core/access';
import { PaymountError, type Scope } from '@paymount/core/kernel';
import {
  type Interaction,
  type InteractionUser,
  type Platform,
  registeredRedirectUri,
} from '@paymount/core/oauth';
import type { RouteResponse } from '@paymount/http';
import { optional } from '../parameters.ts';
import { csrfToken, isCsrfToken, isForeign, readBrowserSecret } from './browser-secret.ts';
import { type Choice, choiceInQuery, choiceQuery, sentChoice } from './choice.ts';
import { renderConsent } from './consent-page.ts';
import { interactionIdIn, interactionPath } from './interaction-path.ts';
import { PageError } from './page-error.ts';
import { redirectToPlatform } from './redirect-to-platform.ts';
import { type BrowserRequest, languageOf, redirect, renderNewLogin, type Site } from './site.ts';

/** How old a login may be that lets a platform write in live. */
const WRITE_LOGIN_SECONDS = 900;
/** The clocks of the login and of this machine may differ by as much. */
const MAX_SKEW_MS = 60_000;
/** After so many visits to the login the host evidently does not log the user in. */
const MAX_LOGINS = 3;

/** An interaction of this browser that may still be answered. */
interface Opened {
  readonly interaction: Interaction;
  readonly platform: Platform;
  /** Those that are asked for, and that the platform still has. */
  readonly scopes: readonly Scope[];
  readonly browserSecret: string;
}

/** Shows a user what a platform asks for, after the login. @throws PageError */
export async function showInteraction(site: Site, asked: BrowserRequest): Promise<RouteResponse> {
  const opened = await open(site, asked);
  const chosen = choiceInQuery(asked.query, opened.scopes);
  const hostUser = await currentHostUser(site.identity, asked.request);
  if (hostUser === null) return toLogin(site, opened, { hint: { reason: 'login' }, chosen });
  await bind(site, opened, hostUser);
  if (isLoginTooOld(site, opened.scopes, hostUser)) {
    return toLogin(site, opened, { hint: REAUTHENTICATE, chosen });
  }
  return renderQuestion(site, asked, { ...opened, hostUser, chosen });
}

/** Takes the answer of a user. @throws PageError; PaymountError for a malformed form */
export async function answerInteraction(site: Site, asked: BrowserRequest): Promise<RouteResponse> {
  if (isForeign(asked.request, site.issuer)) throw new PageError(403, 'foreignForm');
  const opened = await open(site, asked);
  const { interaction } = opened;
  const hostUser = await currentHostUser(site.identity, asked.request);
  if (hostUser === null)
    return renderNewLogin(site, asked, pathWith(site, opened, sentChoice(asked)));
  await bind(site, opened, hostUser);
  assertOwnForm(opened, hostUser, optional(asked.form, 'csrf_token'));
  if (optional(asked.form, 'decision') === 'approve') return approve(site, asked, opened, hostUser);
  if (!(await site.interactions.refuse(interaction, userOf(hostUser)))) throw answered();
  return respond(site, interaction, { error: 'access_denied' });
}

async function approve(
  site: Site,
  asked: BrowserRequest,
  opened: Opened,
  hostUser: HostUser,
): Promise<RouteResponse> {
  const { texts } = languageOf(site, asked.request);
  const { interaction } = opened;
  const chosen = sentChoice(asked);
  const named = chosen.account;
  const scopes = opened.scopes.filter((scope) => chosen.scopes.includes(scope));
  if (scopes.length === 0) {
    return renderQuestion(site, asked, { ...opened, hostUser, chosen, error: texts.chooseScope });
  }
  if (named === undefined) {
    return renderQuestion(site, asked, { ...opened, hostUser, chosen, error: texts.chooseAccount });
  }
  const account = ownedAccounts(hostUser).find(({ id }) => id === named);
  if (account === undefined) throw new PageError(403, 'otherAccount');
  if (isLoginTooOld(site, scopes, hostUser)) {
    return renderNewLogin(site, asked, pathWith(site, opened, chosen));
  }
  const code = await approveOnce(site, interaction, {
    ...userOf(hostUser),
    accountId: account.id,
    scopes,
    by: { actor: { type: 'user', id: hostUser.userId }, via: 'session', ...asked.origin },
  });
  if (code === undefined) throw answered();
  return respond(site, interaction, { code });
}

/** An account that the host names and Paymount does not have is one that nobody may decide about. */
async function approveOnce(
  { interactions }: Site,
  ...approval: Parameters<Site['interactions']['approve']>
): Promise<string | undefined> {
  try {
    return await interactions.approve(...approval);
  } catch (error) {
    if (PaymountError.is(error) && error.code === 'resource_missing') {
      throw new PageError(403, 'otherAccount');
    }
    if (PaymountError.is(error) && error.code === 'account_disabled') {
      throw new PageError(403, 'suspendedAccount');
    }
    throw error;
  }
}

async function open(site: Site, { request, pathname }: BrowserRequest): Promise<Opened> {
  const id = interactionIdIn(pathname);
  const browserSecret = id && readBrowserSecret(request, site.issuer);
  const interaction =
    browserSecret && (await site.interactions.find(id, site.environment, browserSecret));
  if (!interaction || !browserSecret) throw new PageError(403, 'otherBrowser');
  if (interaction.decidedAt !== undefined) throw answered();
  if (interaction.expiresAt <= site.clock.now()) throw new PageError(410, 'expired');
  const platform = await site.platforms.find(interaction.platformId);
  if (platform?.status !== 'active') throw new PageError(400, 'unknownPlatform');
  // The platform may have withdrawn the address meanwhile.
  const { redirectUri } = interaction;
  if (registeredRedirectUri(platform, redirectUri) === undefined) {
    throw new PageError(400, 'unknownRedirect');
  }
  const scopes = interaction.scopes.filter((scope) => platform.scopes.includes(scope));
  // Another request tells the platform that it has none of these scopes any more.
  if (scopes.length === 0) throw new PageError(410, 'expired');
  return { interaction, platform, scopes, browserSecret };
}

/** The first user who opens an interaction is the only one who may answer it. */
async function bind(site: Site, { interaction }: Opened, hostUser: HostUser): Promise<void> {
  if (await site.interactions.bind(interaction, userOf(hostUser))) return;
  throw new PageError(403, 'otherUser');
}

/** Only the page of this interaction, user and session contains the token. */
function assertOwnForm(
  { interaction, browserSecret }: Opened,
  hostUser: HostUser,
  sent: string | undefined,
): void {
  if (!isCsrfToken(sent, csrfToken(browserSecret, interaction.id, hostUser))) {
    throw new PageError(403, 'foreignForm');
  }
}

function renderQuestion(
  site: Site,
  { request }: BrowserRequest,
  asked: Opened & {
    readonly hostUser: HostUser;
    readonly chosen: Choice;
    readonly error?: string;
  },
): RouteResponse {
  const { interaction, platform, scopes, browserSecret, hostUser, chosen, error } = asked;
  return renderConsent(site.appearance, languageOf(site, request), {
    platform,
    scopes,
    environment: site.environment,
    redirectUri: interaction.redirectUri,
    userName: hostUser.displayName,
    accounts: ownedAccounts(hostUser),
    selected: scopes.filter((scope) => chosen.scopes.includes(scope)),
    ...(chosen.account === undefined ? {} : { account: chosen.account }),
    csrfToken: csrfToken(browserSecret, interaction.id, hostUser),
    ...(error === undefined ? {} : { error }),
  });
}

const REAUTHENTICATE: LoginHint = {
  reason: 'reauthenticate',
  maxAgeSeconds: WRITE_LOGIN_SECONDS,
};

function isLoginTooOld(
  { environment, clock }: Site,
  scopes: readonly Scope[],
  { authTime }: HostUser,
): boolean {
  const isRisky = environment === 'live' && scopes.some((scope) => scope.endsWith(':write'));
  const ageMs = clock.now().getTime() - authTime.getTime();
  if (ageMs < -MAX_SKEW_MS) throw new TypeError('identity.current(): authTime is in the future.');
  return isRisky && ageMs > WRITE_LOGIN_SECONDS * 1_000;
}

async function toLogin(
  site: Site,
  opened: Opened,
  { hint, chosen }: { readonly hint: LoginHint; readonly chosen: Choice },
): Promise<RouteResponse> {
  if (opened.interaction.logins >= MAX_LOGINS) throw new PageError(403, 'loginFailed');
  const location = loginLocation(site.identity, pathWith(site, opened, chosen), hint);
  await site.interactions.countLogin(opened.interaction);
  return redirect(location);
}

/** The path of the page, which shows this choice after a login. */
function pathWith(site: Site, { interaction, scopes }: Opened, chosen: Choice): string {
  return `${interactionPath(site, interaction.id)}${choiceQuery(chosen, scopes)}`;
}

function respond(
  site: Site,
  { redirectUri, state }: Interaction,
  response: { readonly code: string } | { readonly error: 'access_denied' },
): RouteResponse {
  return redirectToPlatform(site, redirectUri, {
    ...response,
    ...(state === undefined ? {} : { state }),
  });
}

function userOf({ userId, sessionRef }: HostUser): InteractionUser {
  return { userId, sessionHash: hashCredential(sessionRef) };
}

function answered(): PageError {
  return new PageError(410, 'answered');
}
