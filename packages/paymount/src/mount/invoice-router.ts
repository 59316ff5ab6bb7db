import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientAddresses, type Limits, requireAllowed, type TlsCheck } from '@paymount/auth';
import {
  type Clock,
  type Logger,
  newId,
  PaymountError,
  type RequestId,
  type Telemetry,
} from '@paymount/core/kernel';
import { InvoicePages } from '@paymount/documents';
import { asPaymountError, type RouteResponse, sendResponse } from '@paymount/http';
import type { WorkInFlight } from '../parts/work-in-flight.ts';
import { assertAcceptable } from './assert-acceptable.ts';
import { errorResponse } from './error-response.ts';
import { portsForRequest } from './host-request-id.ts';
import { mountedRouter, type Router } from './mounted-router.ts';
import type { WarnOfProxies } from './proxy-warning.ts';
import { requestLogFacts } from './request-log-facts.ts';
import { requestTarget } from './request-target.ts';
import { requireRead } from './require-read.ts';

export interface InvoiceRouterPorts {
  readonly pages: InvoicePages;
  readonly clients: ClientAddresses;
  readonly limits: Pick<Limits, 'countPage'>;
  readonly requireTls: boolean;
  readonly tls: Pick<TlsCheck, 'assert'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly inFlight: WorkInFlight;
  readonly warnOfProxies: WarnOfProxies;
}

/** The mount is a path of its own, so it answers all that is below, and a wrong address like any other. */
export function createInvoiceRouter(ports: InvoiceRouterPorts): Router {
  return mountedRouter((request, response) => {
    ports.inFlight.add(respond(portsForRequest(ports, request, response), request, response));
    return true;
  });
}

/** Always responds, and logs; never rejects. */
async function respond(
  ports: InvoiceRouterPorts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { clock, logger, pages } = ports;
  const arrival = { request, requestId: newId('req') };
  const { requestId } = arrival;
  const startedMs = clock.monotonicMs();
  const { pathname } = requestTarget(request);
  const reply = await answer(ports, arrival, pathname).catch((error: unknown) => {
    // It counts and logs the error; the response is a page.
    errorResponse(error, requestId, ports);
    return pages.renderError(asPaymountError(error), languageOf(request), requestId);
  });
  sendResponse(response, { requestId }, reply);
  const facts = { startedMs, clock, route: InvoicePages.routeOf(pathname), status: reply.status };
  logger.info(requestLogFacts(arrival, facts), 'A request was answered.');
}

async function answer(
  ports: InvoiceRouterPorts,
  { request }: { readonly request: IncomingMessage; readonly requestId: RequestId },
  pathname: string,
): Promise<RouteResponse> {
  const { clients, limits, inFlight, pages } = ports;
  ports.warnOfProxies(request);
  assertAcceptable(request, ports, () => undefined);
  if (inFlight.isClosing) throw new PaymountError('unavailable');
  requireRead(request);
  const counted = await limits.countPage(clients.ofRequest(request));
  if (counted) requireAllowed(counted.state);
  return pages.respond(pathname, languageOf(request));
}

function languageOf({ headers }: IncomingMessage): string | undefined {
  return headers['accept-language'];
}
