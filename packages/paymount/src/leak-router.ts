import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type ClientAddresses,
  feedbackOn,
  type GithubKeys,
  githubVerifier,
  type LeakService,
  readGithubReport,
  sightingsOf,
  type TlsCheck,
} from '@paymount/auth';
import { type Clock, type Logger, newId, PaymountError, type RequestId } from '@paymount/core';
import { type Answer, bodyOfHostError, sendAnswer } from '@paymount/http';
import { readRawBody } from '@paymount/signature';
import { answeredFacts } from './answered-facts.ts';
import { refusal } from './refusal.ts';
import { requestTarget } from './request-target.ts';
import type { Router } from './router.ts';

export interface LeakRouterPorts {
  readonly leaks: Pick<LeakService, 'report'>;
  readonly githubKeys: Pick<GithubKeys, 'find'>;
  readonly clients: ClientAddresses;
  readonly requireTls: boolean;
  readonly tls: Pick<TlsCheck, 'assert'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Once true, every request is answered 503. */
  readonly isClosing: () => boolean;
}

const PATH = '/leaks/github';
/** Nobody has proved anything yet while a body of a mebibyte is kept. */
const MAX_AT_ONCE = 50;
/** One that sends slowly keeps nobody else out. */
const MAX_AT_ONCE_OF_ADDRESS = 10;
const BODY_LIMIT_MS = 2_000;

/**
 * `POST /leaks/github`: takes the reports of GitHub's secret scanning. A request is its own proof:
 * its raw bytes are signed by a key that GitHub publishes. Other paths go on to the host's own
 * routes.
 */
export function createLeakRouter(ports: LeakRouterPorts): Router {
  let running = 0;
  const runningOf = new Map<string, number>();
  const visit = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrival = { requestId: newId('req'), startedMs: ports.clock.monotonicMs() };
    const address = ports.clients.ofRequest(request) ?? '';
    const fromThere = runningOf.get(address) ?? 0;
    const isBusy =
      ports.isClosing() || running >= MAX_AT_ONCE || fromThere >= MAX_AT_ONCE_OF_ADDRESS;
    running += 1;
    runningOf.set(address, fromThere + 1);
    const answer = await answerTo(ports, request, { ...arrival, isBusy });
    running -= 1;
    const left = (runningOf.get(address) ?? 1) - 1;
    if (left > 0) runningOf.set(address, left);
    else runningOf.delete(address);
    sendAnswer(response, { requestId: arrival.requestId, crossOrigin: false }, answer);
    logAnswer(ports, request, { ...arrival, status: answer.status });
  };
  return [
    (request, response, next) => {
      if (isReport(request)) void visit(request, response);
      else next();
    },
    (error, request, response, next) => {
      // The signed bytes may be gone with the parser, which the visit finds out.
      const isHostParser = bodyOfHostError(error) !== undefined;
      if (isHostParser && isReport(request)) void visit(request, response);
      else next(error);
    },
  ];
}

function isReport(request: IncomingMessage): boolean {
  return requestTarget(request).pathname === PATH;
}

interface Arrival {
  readonly requestId: RequestId;
  readonly isBusy: boolean;
}

/** Never rejects. */
async function answerTo(
  ports: LeakRouterPorts,
  request: IncomingMessage,
  arrival: Arrival,
): Promise<Answer> {
  try {
    return await takeReport(ports, request, arrival);
  } catch (error) {
    return refusal(error, arrival.requestId, ports.logger);
  }
}

async function takeReport(
  { leaks, githubKeys, requireTls, tls }: LeakRouterPorts,
  request: IncomingMessage,
  { requestId, isBusy }: Arrival,
): Promise<Answer> {
  if (requireTls) tls.assert(request);
  if (isBusy) throw new PaymountError('unavailable');
  if (request.method !== 'POST') {
    throw new PaymountError('method_not_allowed', `${PATH} takes POST.`, {
      extra: { allowed_methods: ['POST'] },
    });
  }
  const verify = await githubVerifier(request.headersDistinct, githubKeys);
  const body = await rawBodyOf(request);
  verify(body);
  const matches = readGithubReport(body);
  const by = { actor: { type: 'system', id: 'github' }, via: 'github', requestId } as const;
  const verdicts = await leaks.report(sightingsOf(matches), { by });
  return { status: 200, body: JSON.stringify(feedbackOn(matches, verdicts)) };
}

/**
 * The bytes that were signed.
 * @throws PaymountError `body_too_large`, `body_timeout`, `invalid_json` when the connection closes
 *   half-way, `raw_body_unavailable` when a parser of the host's took them
 */
async function rawBodyOf(request: IncomingMessage): Promise<Buffer> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PaymountError('body_timeout')), BODY_LIMIT_MS);
  });
  const body = await Promise.race([readRawBody(request), limit]).finally(() => clearTimeout(timer));
  if (body.state === 'too_large') {
    throw new PaymountError('body_too_large', 'A report has at most 1,048,576 bytes.');
  }
  if (body.state === 'aborted') throw new PaymountError('invalid_json', 'The body broke off.');
  const { content } = body;
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array) return Buffer.from(content);
  throw new PaymountError('raw_body_unavailable');
}

function logAnswer(
  { clock, logger }: LeakRouterPorts,
  request: IncomingMessage,
  answered: { readonly requestId: RequestId; readonly startedMs: number; readonly status: number },
): void {
  logger.info(
    answeredFacts({ request, requestId: answered.requestId }, { ...answered, clock, route: PATH }),
    'A request was answered.',
  );
}
