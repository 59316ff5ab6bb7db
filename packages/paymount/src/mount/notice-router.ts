import type { IncomingMessage, ServerResponse } from 'node:http';
import { AddressShares, type ClientAddresses, type TlsCheck } from '@paymount/auth';
import {
  type Clock,
  type Environment,
  type Logger,
  newId,
  PaymountError,
  type RequestId,
  type Telemetry,
} from '@paymount/core/kernel';
import type { NoticeInbox } from '@paymount/core/payments';
import { docForm, type RouteResponse, sendResponse } from '@paymount/http';
import type { WorkInFlight } from '../parts/work-in-flight.ts';
import { assertHeaderCount } from './assert-header-count.ts';
import { errorResponse } from './error-response.ts';
import { portsForRequest } from './host-request-id.ts';
import { mountedRouter, type Router } from './mounted-router.ts';
import { readSignedBody } from './read-signed-body.ts';
import { requestLogFacts } from './request-log-facts.ts';
import { mountedTarget, requestTarget } from './request-target.ts';

export interface NoticeRouterPorts {
  readonly environment: Environment;
  readonly noticeInbox: Pick<NoticeInbox, 'record' | 'applyAll'>;
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

/** Until the adapter has checked it, a body of up to a mebibyte from anybody is in memory. */
const SHARES = { total: 50, perAddress: 10, reserved: 10 };
const BODY_LIMIT_MS = 10_000;
const ROUTE = '/ (notices)';

/**
 * `POST` to the path of the mount: the notices of one processor, which authenticate themselves to
 * its adapter. The answer is 200 once all are stored; they are applied after it. Below a path of its
 * own the router answers everything; without one, other paths are passed on to the host's routes.
 */
export function createNoticeRouter(ports: NoticeRouterPorts): Router {
  const shares = new AddressShares(SHARES);
  const takeRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = newId('req');
    const startedMs = ports.clock.monotonicMs();
    const asked = portsForRequest(ports, request, response);
    const reply = await respondTo({ ...asked, shares }, request, requestId);
    sendResponse(response, { requestId, form: docForm(ports) }, reply.response);
    const { logger, clock } = asked;
    const sent = { startedMs, clock, route: ROUTE, status: reply.response.status };
    logger.info(requestLogFacts({ request, requestId }, sent), 'A request was answered.');
    await ports.noticeInbox.applyAll(reply.recorded, () => ports.inFlight.isClosing);
  };
  // After an error of the host's parser the signed bytes may be lost; that is checked later.
  return mountedRouter((request, response, { isAlone, hasOwnPath }) => {
    const { pathname } = requestTarget(request);
    const isMount = pathname === '/' && mountedTarget(request, pathname).mount !== '';
    if (!isAlone && !hasOwnPath && !isMount) return false;
    ports.inFlight.add(takeRequest(request, response));
    return true;
  });
}

interface Reply {
  readonly response: RouteResponse;
  /** What is left to apply. */
  readonly recorded: Awaited<ReturnType<NoticeInbox['record']>>['recorded'];
}

type TakePorts = NoticeRouterPorts & { readonly shares: AddressShares };

/** Never rejects. */
async function respondTo(
  ports: TakePorts,
  request: IncomingMessage,
  requestId: RequestId,
): Promise<Reply> {
  try {
    return await takeNotices(ports, request);
  } catch (error) {
    return { response: errorResponse(error, requestId, ports), recorded: [] };
  }
}

async function takeNotices(
  { environment, noticeInbox, requireTls, tls, inFlight, clients, shares }: TakePorts,
  request: IncomingMessage,
): Promise<Reply> {
  assertHeaderCount(request);
  if (requireTls) tls.assert(request);
  if (requestTarget(request).pathname !== '/') throw new PaymountError('route_missing');
  if (request.method !== 'POST') {
    const extra = { allowed_methods: ['POST'] };
    throw new PaymountError('method_not_allowed', 'Notices are sent with POST.', { extra });
  }
  if (inFlight.isClosing) throw new PaymountError('unavailable');
  const { notices, recorded } = await shares.use(clients.ofRequest(request), {
    read: (awaitBody) =>
      readSignedBody(request, { what: 'A notice', limitMs: BODY_LIMIT_MS, signal: awaitBody() }),
    handle: (body) => noticeInbox.record(environment, { headers: request.headers, body }),
    isGenuine: () => true,
  });
  const told = { received: notices, recorded: recorded.length };
  return { response: { status: 200, body: JSON.stringify(told) }, recorded };
}
