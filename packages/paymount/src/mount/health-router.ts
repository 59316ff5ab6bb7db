import type { ServerResponse } from 'node:http';
import { newId, PaymountError } from '@paymount/core/kernel';
import { renderError, sendResponse } from '@paymount/http';
import type { CheckHealth, HealthCode, HealthProblem } from '@paymount/management';
import { findProblems } from '@paymount/management';
import type { WorkInFlight } from '../parts/work-in-flight.ts';
import { mountedRouter, type Router } from './mounted-router.ts';
import { requestTarget } from './request-target.ts';

export interface HealthRouterPorts {
  readonly checkHealth: CheckHealth;
  /** Whether this process serves the API: then late deliveries are no reason to take it away. */
  readonly servesApi: () => boolean;
  readonly inFlight: WorkInFlight;
}

/** Probes need no login, so that many of them in a second ask the database once. */
const KEPT_MS = 1_000;
/** A restart helps. */
const NOT_LIVE: readonly HealthCode[] = ['worker_stuck'];
/** No request can be answered. */
const NOT_READY: readonly HealthCode[] = [
  'database_unreachable',
  'database_is_standby',
  'schema_unusable',
  'sealing_key_unavailable',
];
/** Deliveries are not sent in time; requests are answered all the same. */
const NOT_SENDING: readonly HealthCode[] = ['worker_stuck', 'clock_off', 'deliveries_overdue'];

/**
 * `GET /health/live` and `GET /health/ready`, for the probes of an orchestrator or a load balancer:
 * 200, or 503 with the problems. No login; the responses contain no address, name or number. Other
 * paths are passed on to the host's own routes.
 */
export function createHealthRouter({ checkHealth, ...others }: HealthRouterPorts): Router {
  const ports = { ...others, checkHealth: keptFor(KEPT_MS, checkHealth) };
  return mountedRouter((request, response, { isAlone }) => {
    const failing = failingCodes(ports, requestTarget(request).pathname);
    if (failing === undefined) {
      if (isAlone) refuse(response, new PaymountError('route_missing'));
      return isAlone;
    }
    if (request.method === 'GET' || request.method === 'HEAD') {
      ports.inFlight.add(respondToProbe(ports, response, failing));
    } else {
      const extra = { allowed_methods: ['GET'] };
      refuse(response, new PaymountError('method_not_allowed', 'A probe is a GET.', { extra }));
    }
    return true;
  });
}

function failingCodes(
  { servesApi }: HealthRouterPorts,
  pathname: string,
): readonly HealthCode[] | undefined {
  if (pathname === '/health/live') return NOT_LIVE;
  if (pathname !== '/health/ready') return undefined;
  return servesApi() ? NOT_READY : [...NOT_READY, ...NOT_SENDING];
}

async function respondToProbe(
  { checkHealth, inFlight }: HealthRouterPorts,
  response: ServerResponse,
  failing: readonly HealthCode[],
): Promise<void> {
  const isReadiness = failing !== NOT_LIVE;
  if (isReadiness && inFlight.isClosing) {
    respond(response, 503, { status: 'closing' });
    return;
  }
  const problems = findProblems(await checkHealth()).filter(({ code }) => failing.includes(code));
  if (problems.length === 0) respond(response, 200, { status: 'ok' });
  else respond(response, 503, { status: 'failing', problems });
}

function keptFor(ms: number, check: CheckHealth): CheckHealth {
  let kept: { readonly untilMs: number; readonly health: ReturnType<CheckHealth> } | undefined;
  return () => {
    const nowMs = performance.now();
    if (kept === undefined || nowMs >= kept.untilMs) {
      kept = { untilMs: nowMs + ms, health: check() };
    }
    return kept.health;
  };
}

function refuse(response: ServerResponse, error: PaymountError): void {
  const requestId = newId('req');
  sendResponse(response, { requestId }, renderError(error, requestId));
}

interface ProbeResponse {
  readonly status: string;
  readonly problems?: readonly HealthProblem[];
}

function respond(response: ServerResponse, status: number, body: ProbeResponse): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
  });
  response.end(JSON.stringify(body));
}
