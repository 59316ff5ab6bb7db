import type { IncomingMessage } from 'node:http';
import { authorizeRoute } from '@paymount/auth';
import {
  answerOf,
  type Call,
  type Environment,
  PaymountError,
  type Principal,
  type RequestId,
} from '@paymount/core';
import { refuseCardNumbers } from './card-numbers.ts';
import type { HostBody } from './host-request.ts';
import { type Idempotent, readIdempotencyKey } from './idempotent.ts';
import { hasBody, readBody, readQuery, type Sent } from './read-body.ts';
import type { Answer } from './render-answer.ts';
import { expandResource } from './routing/expand.ts';
import type { Prepared } from './routing/route.ts';
import type { Match } from './routing/route-index.ts';

/** One request that room 1 let in. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly requestId: RequestId;
  readonly environment: Environment;
  readonly match: Match;
  /** What follows the `?` of the target. */
  readonly query: string;
  /** Where the body is, when the host's parser failed on it. */
  readonly hostBody?: HostBody | PaymountError;
  /** Who asks, by the guard: at once when it is known, and never later than it was decided. */
  authenticate(): Principal | Promise<Principal>;
}

/**
 * Rooms 2 to 8 of a request: credential, body, scope and parameters, idempotency, service, answer.
 * @throws PaymountError for every refusal; anything else is a fault of ours
 */
export async function serve(visit: Visit, idempotent: Idempotent): Promise<Answer> {
  const admitted = admit(visit);
  let principal = admitted instanceof Promise ? await admitted : admitted;
  let sent: Sent;
  if (hasBody(visit.request)) {
    sent = await readWithBody(visit);
    // A key may have been revoked while the body dripped in; decide again in this turn.
    const again = admit(visit);
    principal = again instanceof Promise ? await again : again;
  } else {
    sent = readQuery(visit.query);
    if (visit.match.route.method === 'POST') refuseQuery(sent);
  }
  if (visit.environment === 'live') refuseCardNumbers(sent.tree);
  const prepared = visit.match.route.prepare(visit.match.path, sent, principal);
  const call: Call = { principal, requestId: visit.requestId };
  if (visit.match.route.method === 'GET') return answerOf(await show(prepared, call));
  return execute(visit, prepared, call, idempotent);
}

function admit(visit: Visit): Principal | Promise<Principal> {
  const admitted = visit.authenticate();
  if (!(admitted instanceof Promise)) return authorize(visit, admitted);
  return admitted.then((principal) => authorize(visit, principal));
}

function authorize({ request, match }: Visit, principal: Principal): Principal {
  const account = request.headers['stripe-account'];
  if (account !== undefined && account !== principal.accountId) {
    throw new PaymountError(
      'permission_denied',
      'The Stripe-Account header names another account than that of the key.',
    );
  }
  authorizeRoute(principal, match.route.facts);
  return principal;
}

async function readWithBody({ request, match, query, hostBody }: Visit): Promise<Sent> {
  const { method } = match.route;
  if (method === 'GET') {
    throw new PaymountError(
      'parameter_invalid',
      'A GET takes its parameters in the query, not in a body.',
    );
  }
  if (PaymountError.is(hostBody)) throw hostBody;
  const sent = await readBody(request, hostBody);
  const queried = readQuery(query);
  if (method === 'DELETE' && Object.keys(sent.tree).length === 0) return queried;
  refuseQuery(queried);
  return sent;
}

function refuseQuery({ tree }: Sent): void {
  const [param] = Object.keys(tree);
  if (param === undefined) return;
  throw new PaymountError(
    'parameter_unknown',
    `The query holds ${param}; this request takes its parameters in the body.`,
    { param },
  );
}

async function execute(
  { request, match }: Visit,
  prepared: Prepared,
  call: Call,
  idempotent: Idempotent,
): Promise<Answer> {
  const key = readIdempotencyKey(request.headersDistinct);
  if (key === undefined) return answerOf(await show(prepared, call));
  const { expansion } = prepared;
  return idempotent.answer({
    call,
    key,
    method: match.route.method,
    path: match.route.pattern.replace(':id', () => match.path.id),
    parameters: prepared.parameters,
    execute: (claimed) => prepared.run(claimed),
    ...(expansion && { expand: (resource) => expandResource(call, resource, expansion) }),
  });
}

async function show({ run, expansion }: Prepared, call: Call): Promise<object> {
  const resource = await run(call);
  return expansion === undefined ? resource : expandResource(call, resource, expansion);
}
