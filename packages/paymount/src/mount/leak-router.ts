import type { IncomingMessage, ServerResponse } from 'node:http';
import { AddressShares, type ClientAddresses, type TlsCheck } from '@paymount/auth';
import type { LeakReport, LeakService, LeakSource } from '@paymount/core/access';
import {
  type Clock,
  type Logger,
  newId,
  PaymountError,
  type RequestId,
  type Telemetry,
  withTimeout,
} from '@paymount/core/kernel';
import { docForm, type RouteResponse, renderError, sendResponse } from '@paymount/http';
import type { WorkInFlight } from '../parts/work-in-flight.ts';
import { assertHeaderCount } from './assert-header-count.ts';
import { errorResponse } from './error-response.ts';
import { portsForRequest } from './host-request-id.ts';
import { mountedRouter, type Router } from './mounted-router.ts';
import { readSignedBody } from './read-signed-body.ts';
import { requestLogFacts } from './request-log-facts.ts';
import { requestTarget } from './request-target.ts';

export interface LeakRouterPorts {
  readonly leaks: Pick<LeakService, 'report'>;
  readonly leakSources: ReadonlyMap<string, LeakSource>;
  readonly clients: ClientAddresses;
  /** The base of links to error pages. @defaultValue the link in the error */
  readonly docUrl?: string;
  readonly requireTls: boolean;
  readonly tls: Pick<TlsCheck, 'assert'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly inFlight: WorkInFlight;
}

const PATH = /^\/leaks\/([^/]+)$/;
/** Until the signature is verified, an unauthenticated body of up to a mebibyte is in memory. */
const SHARES = { total: 50, perAddress: 10, reserved: 10 };
const BODY_LIMIT_MS = 2_000;
/** For the check of the headers; a source may have to fetch the keys of its code host. */
const VERIFY_LIMIT_MS = 5_000;

/**
 * `POST /leaks/github`, and one route for each further source: receives the reports of code hosts.
 * A request authenticates itself: its raw bytes are signed. Other paths are passed on to the host's
 * own routes.
 */
export function createLeakRouter(ports: LeakRouterPorts): Router {
  const shares = new AddressShares(SHARES);
  const takeRequest = async (
    source: LeakSource,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const arrival = { source, requestId: newId('req'), startedMs: ports.clock.monotonicMs() };
    const asked = portsForRequest(ports, request, response);
    const reply = await respondTo({ ...asked, shares }, request, arrival);
    // Nobody reads what is yet to come of a body that lost its place.
    const headers = request.complete ? {} : { Connection: 'close' };
    const { requestId } = arrival;
    sendResponse(response, { requestId, form: docForm(ports), headers }, reply);
    logResponse(asked, request, { ...arrival, status: reply.status });
  };
  // After an error of the host's parser the signed bytes may be lost; that is checked later.
  return mountedRouter((request, response, { isAlone }) => {
    const source = findSource(ports, request);
    if (source !== undefined) ports.inFlight.add(takeRequest(source, request, response));
    else if (isAlone) respondNotFound(response);
    return source !== undefined;
  });
}

function respondNotFound(response: ServerResponse): void {
  const requestId = newId('req');
  const reply = renderError(new PaymountError('route_missing'), requestId);
  sendResponse(response, { requestId, crossOrigin: false }, reply);
}

function findSource(
  { leakSources }: LeakRouterPorts,
  request: IncomingMessage,
): LeakSource | undefined {
  const [, name = ''] = PATH.exec(requestTarget(request).pathname) ?? [];
  return leakSources.get(name);
}

interface LeakRequest {
  readonly source: LeakSource;
  readonly requestId: RequestId;
}

type ReportPorts = LeakRouterPorts & { readonly shares: AddressShares };

/** Never rejects. */
async function respondTo(
  ports: ReportPorts,
  request: IncomingMessage,
  arrival: LeakRequest,
): Promise<RouteResponse> {
  try {
    return await takeReport(ports, request, arrival);
  } catch (error) {
    return errorResponse(error, arrival.requestId, ports);
  }
}

async function takeReport(
  { leaks, requireTls, tls, logger, inFlight, clients, shares }: ReportPorts,
  request: IncomingMessage,
  { source, requestId }: LeakRequest,
): Promise<RouteResponse> {
  assertHeaderCount(request);
  if (requireTls) tls.assert(request);
  if (inFlight.isClosing) throw new PaymountError('unavailable');
  if (request.method !== 'POST') {
    throw new PaymountError('method_not_allowed', `/leaks/${source.name} takes POST.`, {
      extra: { allowed_methods: ['POST'] },
    });
  }
  const handle = async (report: LeakReport): Promise<RouteResponse> => {
    const { name } = source;
    const { passedOver = 0 } = report;
    if (passedOver > 0) {
      const facts = { request_id: requestId, source: name, passed_over: passedOver };
      logger.warn(facts, 'A report of leaks contains malformed entries.');
    }
    const exposures = report.exposures.map((exposure) => ({ ...exposure, source: name }));
    const by = { actor: { type: 'system', id: name }, via: name, requestId } as const;
    const verdicts = await leaks.report(exposures, { by });
    return { status: 200, body: JSON.stringify(report.answer(verdicts) ?? {}) };
  };
  return shares.use(clients.ofRequest(request), {
    read: (awaitBody) => readReport(source, request, awaitBody),
    handle,
    isGenuine: () => true,
  });
}

/**
 * @throws 503 `unavailable` if the source fails or another sender gets the place, so that the code
 *   host sends the report again
 */
async function readReport(
  source: LeakSource,
  request: IncomingMessage,
  awaitBody: () => AbortSignal,
): Promise<LeakReport> {
  let signal: AbortSignal | undefined;
  try {
    const read = await withTimeout(source.verify(request.headersDistinct), VERIFY_LIMIT_MS);
    signal = awaitBody();
    const limits = { what: 'A report', limitMs: BODY_LIMIT_MS, signal };
    return read(await readSignedBody(request, limits));
  } catch (cause) {
    if (PaymountError.is(cause) && !signal?.aborted) throw cause;
    throw new PaymountError('unavailable', undefined, { retryAfterSeconds: 60, cause });
  }
}

function logResponse(
  { clock, logger }: LeakRouterPorts,
  request: IncomingMessage,
  reply: LeakRequest & { readonly startedMs: number; readonly status: number },
): void {
  const route = `/leaks/${reply.source.name}`;
  logger.info(
    requestLogFacts({ request, requestId: reply.requestId }, { ...reply, clock, route }),
    'A request was answered.',
  );
}
