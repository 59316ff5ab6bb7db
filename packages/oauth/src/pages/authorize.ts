import { type Environment, PaymountError, parseId } from '@paymount/core/kernel';
import {
  type AuthorizationParameters,
  authorizationRequest,
  isState,
  type Platform,
  registeredRedirectUri,
} from '@paymount/core/oauth';
import type { RouteResponse } from '@paymount/http';
import { optional, type Parameters } from '../parameters.ts';
import { toOAuthError } from '../render-oauth-error.ts';
import { browserCookie, newBrowserSecret, readBrowserSecret } from './browser-secret.ts';
import { interactionPath } from './interaction-path.ts';
import { PageError } from './page-error.ts';
import { redirectToPlatform } from './redirect-to-platform.ts';
import { type BrowserRequest, redirect, type Site } from './site.ts';

/**
 * The authorization endpoint (RFC 6749, section 3.1): checks what a platform asks for, and sends the
 * browser to the page on which a user approves it. A platform or a redirect URI that is not known
 * is answered here; all other errors go to the platform.
 * @throws PageError
 */
export async function authorize(
  site: Site,
  { request: browser, query }: BrowserRequest,
): Promise<RouteResponse> {
  const parameters = readParameters(query);
  const platform = await findPlatform(site, once(parameters, 'client_id'));
  const sentUri = once(parameters, 'redirect_uri');
  const redirectUri = registeredRedirectUri(platform, sentUri);
  if (redirectUri === undefined) throw new PageError(400, 'unknownRedirect');
  try {
    const request = authorizationRequest(platform, site.issuer, readRequest(parameters));
    const browserSecret = readBrowserSecret(browser, site.issuer) ?? newBrowserSecret();
    const { id } = await site.interactions.begin({
      platform,
      request,
      redirectUri,
      browserSecret,
      namesRedirectUri: sentUri !== undefined,
    });
    const cookie = browserCookie(site.issuer, browserSecret);
    return redirect(interactionPath(site, id), { 'Set-Cookie': cookie });
  } catch (error) {
    if (!PaymountError.is(error)) throw error;
    const known = toOAuthError(error);
    if (known.status >= 500) throw error;
    return redirectToPlatform(site, redirectUri, {
      error: known.name,
      error_description: known.description,
      ...echoed(parameters, site.environment),
    });
  }
}

/** What `optional` refuses. One list for all: a query may have thousands of parameters. */
const SENT_TWICE: readonly string[] = [];

/** Values by name; a list if a parameter was sent twice. */
function readParameters(query: string): Parameters {
  const parameters = new Map<string, unknown>();
  for (const [name, value] of new URLSearchParams(query)) {
    parameters.set(name, parameters.has(name) ? SENT_TWICE : value);
  }
  return Object.fromEntries(parameters);
}

/** A parameter that decides whom to answer, so that its errors stay here. */
function once(parameters: Parameters, name: 'client_id' | 'redirect_uri'): string | undefined {
  try {
    return optional(parameters, name);
  } catch {
    throw new PageError(400, name === 'client_id' ? 'unknownPlatform' : 'unknownRedirect');
  }
}

async function findPlatform(
  { platforms, environment }: Pick<Site, 'platforms' | 'environment'>,
  clientId: string | undefined,
): Promise<Platform> {
  const id = parseId('ca', clientId);
  const platform = id && (await platforms.find(id));
  if (platform?.environment === environment && platform.status === 'active') return platform;
  throw new PageError(400, 'unknownPlatform');
}

function readRequest(parameters: Parameters): AuthorizationParameters {
  const read = (name: string): string | undefined => optional(parameters, name);
  return {
    responseType: read('response_type'),
    scope: read('scope'),
    state: read('state'),
    codeChallenge: read('code_challenge'),
    codeChallengeMethod: read('code_challenge_method'),
    resource: read('resource'),
  };
}

/** The state, so that the platform knows which of its requests failed; never one that is refused. */
function echoed({ state }: Parameters, environment: Environment): { readonly state?: string } {
  return typeof state === 'string' && isState(state, environment) ? { state } : {};
}
