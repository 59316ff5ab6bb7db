import type { ServerResponse } from 'node:http';
import { assertOrigins } from '@paymount/auth';
import {
  ENVIRONMENTS,
  type Environment,
  newId,
  PaymountError,
  type RequestId,
} from '@paymount/core/kernel';
import {
  type ApiReference,
  type AppFiles,
  type DashboardLooks,
  failurePage,
  toSessionResource,
} from '@paymount/dashboard';
import { asPaymountError, originalTarget, type RouteResponse, sendResponse } from '@paymount/http';
import { assertAcceptable } from './assert-acceptable.ts';
import {
  isDirectory,
  type PageRequest,
  type RedirectPorts,
  redirectToLogin,
  redirectToLoginAgain,
  redirectToSlash,
} from './dashboard-redirects.ts';
import {
  countedUser,
  merchantSession,
  requireUser,
  type SessionPorts,
} from './dashboard-session.ts';
import { errorResponse } from './error-response.ts';
import { portsForRequest } from './host-request-id.ts';
import { mountedRouter, type Router } from './mounted-router.ts';
import type { WarnOfProxies } from './proxy-warning.ts';
import { requestLogFacts } from './request-log-facts.ts';
import { requestTarget } from './request-target.ts';
import { requireRead } from './require-read.ts';
import { type AdminRequestPorts, RoutedAdminRequest } from './routed-admin-request.ts';
import { sendAsset } from './send-asset.ts';

export interface DashboardRouterPorts
  extends Omit<AdminRequestPorts, 'authenticate' | 'limits'>,
    SessionPorts,
    RedirectPorts {
  readonly looks: DashboardLooks;
  readonly reference?: ApiReference;
  readonly files: AppFiles;
  readonly warnOfProxies: WarnOfProxies;
}

/** The routes of one account and environment: `/api/acct_.../test/keys`. */
const API = /^\/api\/(?<account>acct_[0-9a-z]{26})\/(?<environment>live|test)(?<pathname>\/.*)$/;
/** Paths that programs request, which read JSON. */
const PROGRAMS = /^\/(?:api|assets)\//;
const SESSION = '/api/session';
const DOCUMENT = '/api/openapi.json';
const LOGIN = '/login';

/**
 * The dashboard: it responds to every request below its mount. Files need no login, and all other
 * addresses need the host's session.
 * @throws Error for an invalid origin
 */
export function createDashboardRouter(ports: DashboardRouterPorts): Router {
  if (ports.origins !== undefined) assertOrigins(ports.origins);
  return mountedRouter((request, response, { hostBody }) => {
    const own = portsForRequest(ports, request, response);
    ports.warnOfProxies(request);
    const target = requestTarget(request);
    const { account, environment, pathname } = API.exec(target.pathname)?.groups ?? {};
    if (account !== undefined && pathname !== undefined) {
      const authenticate = merchantSession(own, account, environment === 'live' ? 'live' : 'test');
      const below = { pathname, query: target.query, ...(hostBody && { hostBody }) };
      const routed = new RoutedAdminRequest({ ...own, authenticate }, request, below);
      ports.inFlight.add(routed.respond(response));
    } else {
      ports.inFlight.add(respond(own, { request, target }, response));
    }
    return true;
  });
}

/** Always responds, and logs; never rejects. */
async function respond(
  ports: DashboardRouterPorts,
  { request, target }: PageRequest,
  response: ServerResponse,
): Promise<void> {
  const { clock, logger, urlLeaks } = ports;
  const requestId = newId('req');
  const startedMs = clock.monotonicMs();
  let reply: RouteResponse | undefined;
  let heldKey = false;
  try {
    assertAcceptable(request, ports, () => undefined);
    requireRead(request);
    reply = sendAsset(ports.files, { request, target }, response)
      ? undefined
      : await answer(ports, { request, target });
  } catch (error) {
    heldKey = PaymountError.is(error) && error.code === 'key_in_url';
    const refusal = errorResponse(error, requestId, ports);
    reply = PROGRAMS.test(target.pathname) ? refusal : toPage(refusal, error, requestId);
  }
  if (reply !== undefined) sendResponse(response, { requestId, headers: HEADERS }, reply);
  const route = target.pathname.startsWith('/api') ? SESSION : '/';
  if (heldKey) urlLeaks.note(originalTarget(request), `${request.method ?? 'GET'} ${route}`);
  const facts = { startedMs, clock, route, status: response.statusCode };
  logger.info(requestLogFacts({ request, requestId }, facts), 'A request was answered.');
}

const HEADERS = { 'Referrer-Policy': 'same-origin', 'X-Frame-Options': 'DENY' } as const;

/** A browser shows a refusal as a page, instead of its JSON. */
function toPage(refusal: RouteResponse, error: unknown, requestId: RequestId): RouteResponse {
  const { html, csp } = failurePage(asPaymountError(error), requestId);
  return { ...refusal, body: html, headers: { ...refusal.headers, ...pageHeaders(csp) } };
}

function pageHeaders(csp: string): Readonly<Record<string, string>> {
  return { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': csp };
}

async function answer(ports: DashboardRouterPorts, page: PageRequest): Promise<RouteResponse> {
  const { environments, inFlight, reference } = ports;
  const { request, target } = page;
  if (inFlight.isClosing) throw new PaymountError('unavailable');
  const hostUser = await countedUser(ports, request);
  if (target.pathname === LOGIN) return redirectToLoginAgain(ports, page);
  if (target.pathname === SESSION) {
    const session = toSessionResource(requireUser(hostUser), environments, ports);
    return { status: 200, body: JSON.stringify(session) };
  }
  if (target.pathname === DOCUMENT && reference !== undefined) {
    return { status: 200, body: reference.document };
  }
  if (target.pathname.startsWith('/api/')) throw new PaymountError('route_missing');
  // Relative addresses of files need the slash after the mount.
  if (target.pathname === '/' && !isDirectory(request)) return redirectToSlash(ports, page);
  if (hostUser === null) return redirectToLogin(ports, page);
  // The application shows an address that does not exist itself.
  const { html, csp } = ports.files.page(target.pathname.split('/').length - 1);
  return { status: 200, body: html, headers: pageHeaders(csp) };
}

/** The environments of a dashboard, in a fixed order. @throws TypeError for none */
export function requireEnvironments(
  given: readonly Environment[] = ENVIRONMENTS,
): readonly Environment[] {
  const chosen = ENVIRONMENTS.filter((environment) => given.includes(environment));
  if (chosen.length > 0) return chosen;
  throw new TypeError('`environments` of dashboardRouter() names `live`, `test` or both.');
}
