import type { ServerResponse } from 'node:http';
import {
  AddressShares,
  type ClientAddresses,
  type Limits,
  readAuthorization,
  requireAllowed,
  type TlsCheck,
  type TryOutcome,
} from '@paymount/auth';
import {
  type Clock,
  type Environment,
  type Logger,
  newId,
  PaymountError,
  type Telemetry,
} from '@paymount/core/kernel';
import {
  asPaymountError,
  hasBody,
  type RouteResponse,
  readOrigin,
  readWithBody,
  sendResponse,
} from '@paymount/http';
import {
  METADATA_PATH,
  metadataResponse,
  type OAuthApi,
  type OAuthPages,
  type OAuthRequest,
  renderOAuthError,
} from '@paymount/oauth';
import type { WorkInFlight } from '../parts/work-in-flight.ts';
import { answerPage, MAX_FORM_BYTES, type OAuthArrival } from './answer-page.ts';
import { assertAcceptable } from './assert-acceptable.ts';
import { errorResponse } from './error-response.ts';
import { portsForRequest } from './host-request-id.ts';
import { mountedRouter, type Router } from './mounted-router.ts';
import type { WarnOfProxies } from './proxy-warning.ts';
import { requestLogFacts } from './request-log-facts.ts';
import { type RequestTarget, requestTarget } from './request-target.ts';
import { requireRead } from './require-read.ts';

export interface OAuthRouterPorts {
  readonly environment: Environment;
  /** The identifier of this authorization server (RFC 8414, section 2). */
  readonly issuer: string;
  readonly oauth: OAuthApi;
  readonly pages: OAuthPages;
  readonly clients: ClientAddresses;
  readonly limits: Pick<Limits, 'startTry' | 'countPlatform' | 'countPage'>;
  readonly requireTls: boolean;
  readonly tls: Pick<TlsCheck, 'assert'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly inFlight: WorkInFlight;
  readonly warnOfProxies: WarnOfProxies;
}

/** Bodies that are read before the platform is known. */
const SHARES = { total: 200, perAddress: 20, reserved: 40 };
/** Forms of browsers: none is known before, because a person sends only a few. */
const PAGE_SHARES = { total: 100, perAddress: 20, reserved: 0 };
const HEADERS = { 'Referrer-Policy': 'no-referrer', Pragma: 'no-cache' } as const;

/**
 * The endpoints of OAuth that servers of platforms call, their metadata, and the pages for browsers.
 * Other paths are passed on to the host's own routes.
 */
export function createOAuthRouter(given: OAuthRouterPorts): Router {
  const shares = new AddressShares(SHARES);
  const ports = { ...given, shares, pageShares: new AddressShares(PAGE_SHARES) };
  return mountedRouter((request, response, { isAlone, hostBody }) => {
    const target = requestTarget(request);
    if (!isAlone && !isRoute(ports, target)) return false;
    const arrival = { request, target, requestId: newId('req'), ...(hostBody && { hostBody }) };
    ports.inFlight.add(respond(portsForRequest(ports, request, response), arrival, response));
    return true;
  });
}

type AnswerPorts = OAuthRouterPorts & {
  readonly shares: AddressShares;
  readonly pageShares: AddressShares;
};

/** Always responds, and logs; never rejects. */
async function respond(
  ports: AnswerPorts,
  arrival: OAuthArrival,
  response: ServerResponse,
): Promise<void> {
  const { clock, logger } = ports;
  const { requestId, target } = arrival;
  const startedMs = clock.monotonicMs();
  const page = ports.pages.find(target.pathname);
  let reply: RouteResponse;
  try {
    reply = await answer(ports, arrival);
  } catch (error) {
    // It counts and logs the error; the form of the response is that of RFC 6749, or a page.
    errorResponse(error, requestId, ports);
    const known = asPaymountError(error);
    reply = page
      ? ports.pages.renderError(known, arrival.request, requestId)
      : renderOAuthError(known);
  }
  // Caches may keep the metadata.
  const headers = target.pathname === METADATA_PATH ? {} : HEADERS;
  sendResponse(response, { requestId, headers }, reply);
  const route = page?.route ?? (isRoute(ports, target) ? target.pathname : undefined);
  const facts = { startedMs, clock, route, status: reply.status };
  logger.info(requestLogFacts(arrival, facts), 'A request was answered.');
}

function isRoute({ oauth, pages }: OAuthRouterPorts, { pathname }: RequestTarget): boolean {
  if (pathname === METADATA_PATH || oauth.paths.includes(pathname)) return true;
  return pages.find(pathname) !== undefined;
}

async function answer(ports: AnswerPorts, arrival: OAuthArrival): Promise<RouteResponse> {
  const { oauth, clients, limits, environment, issuer, inFlight } = ports;
  const { request, requestId, target, hostBody } = arrival;
  ports.warnOfProxies(request);
  assertAcceptable(request, ports, () => undefined);
  if (inFlight.isClosing) throw new PaymountError('unavailable');
  if (target.pathname === METADATA_PATH) {
    requireRead(request);
    return metadataResponse(issuer);
  }
  const page = ports.pages.find(target.pathname);
  if (page) return answerPage(ports, page, arrival);
  if (!oauth.paths.includes(target.pathname)) throw new PaymountError('route_missing');
  if (request.method !== 'POST') {
    const extra = { allowed_methods: ['POST'] };
    throw new PaymountError('method_not_allowed', `${target.pathname} takes POST.`, { extra });
  }
  if (!hasBody(request)) throw new PaymountError('invalid_request', 'The request has no body.');
  const authorization = readAuthorization(request);
  const address = clients.ofRequest(request);
  const maxBytes = MAX_FORM_BYTES;
  const body = { request, query: target.query, maxBytes, ...(hostBody && { hostBody }) };
  const { asked, platform } = await ports.shares.use(address, {
    read: (awaitBody) => readWithBody({ ...body, signal: awaitBody() }, 'POST'),
    handle: async ({ tree: parameters }) => {
      const asked = {
        environment,
        issuer,
        parameters,
        ...(authorization && { authorization }),
        origin: { requestId, ...readOrigin(request, address) },
      };
      return { asked, platform: await authenticate(ports, asked, address) };
    },
    // Anybody can name a public platform.
    isGenuine: (found) => found.platform.type === 'confidential',
  });
  const counted = await limits.countPlatform(platform, address);
  if (counted) requireAllowed(counted.state);
  return oauth.handle(target.pathname, asked, platform);
}

/** Wrong secrets from one address are counted, as wrong keys are. */
async function authenticate(
  { oauth, limits }: OAuthRouterPorts,
  asked: OAuthRequest,
  address: string | undefined,
): ReturnType<OAuthApi['authenticate']> {
  const tried = await limits.startTry('client', address);
  let outcome: TryOutcome = 'open';
  try {
    const platform = await oauth.authenticate(asked);
    outcome = 'good';
    return platform;
  } catch (error) {
    if (PaymountError.is(error) && error.code === 'invalid_client') outcome = 'bad';
    throw error;
  } finally {
    tried.end(outcome);
  }
}
