import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Admin,
  type Authenticator,
  assertCsrfHeader,
  assertOrigins,
  currentHostUser,
  type HostUser,
  type Identity,
  loginLocation,
  requireAllowed,
} from '@paymount/auth';
import type { AccountReader } from '@paymount/core/access';
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
  accountOf,
  type DashboardLooks,
  failurePage,
  toMerchant,
  toSessionResource,
} from '@paymount/dashboard';
import { asPaymountError, type RouteResponse, sendResponse } from '@paymount/http';
import { FRESH_SECONDS } from '@paymount/management';
import { assertAcceptable } from './assert-acceptable.ts';
import { errorResponse } from './error-response.ts';
import { portsForRequest } from './host-request-id.ts';
import { mountedRouter, type Router } from './mounted-router.ts';
import { requestLogFacts } from './request-log-facts.ts';
import { mountedTarget, type RequestTarget, requestTarget } from './request-target.ts';
import { requireRead } from './require-read.ts';
import { type AdminRequestPorts, RoutedAdminRequest } from './routed-admin-request.ts';
import { sendAsset } from './send-asset.ts';

export interface DashboardRouterPorts extends Omit<AdminRequestPorts, 'authenticate' | 'limits'> {
  readonly identity: Identity;
  readonly environments: readonly Environment[];
  readonly accounts: Pick<AccountReader, 'find'>;
  readonly looks: DashboardLooks;
  /** The origin of the logo, if it is not the host's. */
  readonly images?: string;
  readonly reference?: ApiReference;
  readonly files: AppFiles;
  readonly limits: AdminRequestPorts['limits'] & { countPage: PageLimit };
}

type PageLimit = (
  address: string | undefined,
) => ReturnType<AdminRequestPorts['limits']['countAdmin']>;

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
    const target = requestTarget(request);
    const { account, environment, pathname } = API.exec(target.pathname)?.groups ?? {};
    if (account !== undefined && pathname !== undefined) {
      const authenticate = sessionOf(own, account, environment === 'live' ? 'live' : 'test');
      const below = { pathname, query: target.query, ...(hostBody && { hostBody }) };
      const routed = new RoutedAdminRequest({ ...own, authenticate }, request, below);
      ports.inFlight.add(routed.respond(response));
    } else {
      ports.inFlight.add(respond(own, { request, target }, response));
    }
    return true;
  });
}

/** Who sends a request to the API, from the host's session. */
function sessionOf(
  { identity, environments, accounts }: DashboardRouterPorts,
  account: string,
  environment: Environment,
): Authenticator {
  return async (request) => {
    const hostUser = await requireUser(identity, request);
    assertCsrfHeader(request);
    if (!environments.includes(environment)) {
      throw new PaymountError('resource_missing', `This dashboard has no ${environment} data.`);
    }
    const merchant = toMerchant(hostUser, accountOf(hostUser, account), [environment]);
    if (request.method !== 'GET') await requireActive(accounts, merchant);
    return merchant;
  };
}

/** As for its keys; but its users may still read. @throws PaymountError 403 `account_disabled` */
async function requireActive(
  accounts: DashboardRouterPorts['accounts'],
  { accounts: own }: Admin,
): Promise<void> {
  const [id] = own === 'all' ? [] : own;
  const account = id && (await accounts.find(id));
  if (account?.status === 'suspended') throw new PaymountError('account_disabled');
}

async function requireUser(identity: Identity, request: IncomingMessage): Promise<HostUser> {
  const hostUser = await currentHostUser(identity, request);
  if (hostUser === null) throw new PaymountError('login_required');
  return hostUser;
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly target: RequestTarget;
}

/** Always responds, and logs; never rejects. */
async function respond(
  ports: DashboardRouterPorts,
  { request, target }: Arrival,
  response: ServerResponse,
): Promise<void> {
  const { clock, logger } = ports;
  const requestId = newId('req');
  const startedMs = clock.monotonicMs();
  let reply: RouteResponse | undefined;
  try {
    assertAcceptable(request, ports, () => undefined);
    requireRead(request);
    reply = sendAsset(ports.files, { request, target }, response)
      ? undefined
      : await answer(ports, { request, target });
  } catch (error) {
    const refusal = errorResponse(error, requestId, ports);
    reply = PROGRAMS.test(target.pathname) ? refusal : toPage(refusal, error, requestId);
  }
  if (reply !== undefined) sendResponse(response, { requestId, headers: HEADERS }, reply);
  const route = target.pathname.startsWith('/api') ? SESSION : '/';
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

async function answer(
  ports: DashboardRouterPorts,
  { request, target }: Arrival,
): Promise<RouteResponse> {
  const { identity, environments, clients, limits, inFlight, reference } = ports;
  if (inFlight.isClosing) throw new PaymountError('unavailable');
  const counted = await limits.countPage(clients.ofRequest(request));
  if (counted) requireAllowed(counted.state);
  if (target.pathname === LOGIN) return toLogin(ports, { request, target });
  if (target.pathname === SESSION) {
    const session = toSessionResource(await requireUser(identity, request), environments, ports);
    return { status: 200, body: JSON.stringify(session) };
  }
  if (target.pathname === DOCUMENT && reference !== undefined) {
    return { status: 200, body: reference.document };
  }
  if (target.pathname.startsWith('/api/')) throw new PaymountError('route_missing');
  return showApp(ports, { request, target });
}

/** The application, after the login; it shows an address that does not exist itself. */
async function showApp(
  { identity, files, images }: DashboardRouterPorts,
  { request, target: { pathname, query } }: Arrival,
): Promise<RouteResponse> {
  const { mount } = mountedTarget(request, pathname);
  const sent = query === '' ? '' : `?${query}`;
  // Relative addresses of files need the slash after the mount.
  if (pathname === '/' && !isDirectory(request)) return redirect(`${mount}/${sent}`);
  if ((await currentHostUser(identity, request)) === null) {
    const hint = { reason: 'login' } as const;
    return redirect(loginLocation(identity, below(mount, `${pathname}${sent}`), hint));
  }
  const { html, csp } = files.page(pathname.split('/').length - 1, images);
  return { status: 200, body: html, headers: pageHeaders(csp) };
}

function isDirectory(request: IncomingMessage): boolean {
  const original = 'originalUrl' in request ? String(request.originalUrl) : (request.url ?? '/');
  return /^[^?]*\/(?:\?|$)/.test(original);
}

/** Where the application sends a browser whose session has ended, or whose login is too old. */
function toLogin(
  { identity }: DashboardRouterPorts,
  { request, target: { pathname, query } }: Arrival,
): RouteResponse {
  const sent = new URLSearchParams(query);
  const { mount } = mountedTarget(request, pathname);
  // `URL` resolves dots.
  const to = new URL(below('http://mount', sent.get('to') ?? ''));
  const returnTo = below(mount, `${to.pathname}${to.search}`);
  const isAgain = sent.get('reason') === 'reauthenticate';
  const hint = isAgain
    ? ({ reason: 'reauthenticate', maxAgeSeconds: FRESH_SECONDS } as const)
    : ({ reason: 'login' } as const);
  return redirect(loginLocation(identity, returnTo, hint));
}

/** A path below the mount, whatever it contains: after an empty mount, `//` would begin a host. */
function below(mount: string, path: string): string {
  return `${mount}/${path.replace(/^[/\\]+/, '')}`;
}

function redirect(location: string): RouteResponse {
  return { status: 303, body: '', headers: { Location: location } };
}

/** The environments of a dashboard, in a fixed order. @throws TypeError for none */
export function requireEnvironments(
  given: readonly Environment[] = ENVIRONMENTS,
): readonly Environment[] {
  const chosen = ENVIRONMENTS.filter((environment) => given.includes(environment));
  if (chosen.length > 0) return chosen;
  throw new TypeError('`environments` of dashboardRouter() names `live`, `test` or both.');
}
