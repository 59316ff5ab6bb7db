import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthenticateOptions, Guard } from '@paymount/auth';
import {
  type Clock,
  type Environment,
  type Logger,
  newId,
  PaymountError,
  type Principal,
  type RequestId,
} from '@paymount/core';
import {
  type Answer,
  type Api,
  asPaymountError,
  bodyOfHostError,
  isPublishable,
  type Match,
  originalTarget,
  type Route,
  renderError,
  sendAnswer,
  type Visit,
} from '@paymount/http';

/** One environment per mount, or chosen by the request: by its host name, say. */
export type MountEnvironment =
  | Environment
  | ((request: IncomingMessage) => Environment | undefined);

export interface RouterPorts {
  readonly environment: MountEnvironment;
  readonly guard: Pick<Guard, 'authenticate'>;
  readonly api: Api;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Once true, every request is answered 503. */
  readonly isClosing: () => boolean;
}

type Next = (error?: unknown) => void;

/**
 * What `app.use()` takes, of Express 5 and 4: the routes, and what answers for a body that a
 * parser of the host's could not read before us.
 */
export type Router = [
  (request: IncomingMessage, response: ServerResponse, next: Next) => void,
  (error: unknown, request: IncomingMessage, response: ServerResponse, next: Next) => void,
];

const API_PREFIX = '/v1/';

/**
 * Room 1 of a request: environment, `Request-Id`, route, one log line. Paths outside `/v1` go on
 * to the host's own routes.
 */
export function createRouter(ports: RouterPorts): Router {
  return [
    (request, response, next) => {
      const target = targetOf(request);
      if (target === undefined) next();
      else void new RequestVisit(ports, request, target).answer(response);
    },
    (error, request, response, next) => {
      const target = targetOf(request);
      const hostBody = bodyOfHostError(error);
      if (target === undefined || hostBody === undefined) next(error);
      else void new RequestVisit(ports, request, { ...target, hostBody }).answer(response);
    },
  ];
}

interface Target {
  /** Below the mount, still percent-encoded. */
  readonly pathname: string;
  readonly query: string;
  readonly hostBody?: NonNullable<Visit['hostBody']>;
}

/** @returns undefined when the target is none of ours */
function targetOf({ url = '/' }: IncomingMessage): Target | undefined {
  // Proxies may send a target in absolute form (RFC 9112, section 3.2).
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  if (!url.startsWith(API_PREFIX, start)) return undefined;
  const mark = url.indexOf('?', start);
  if (mark < 0) return { pathname: url.slice(start), query: '' };
  return { pathname: url.slice(start, mark), query: url.slice(mark + 1) };
}

/** One request, from its arrival to its log line. */
class RequestVisit implements Visit {
  readonly request: IncomingMessage;
  readonly requestId: RequestId = newId('req');
  readonly query: string;
  readonly hostBody?: NonNullable<Visit['hostBody']>;
  readonly #ports: RouterPorts;
  readonly #pathname: string;
  readonly #startedMs: number;
  #environment: Environment | undefined;
  #match: Match<Route> | undefined;
  #principal: Principal | undefined;

  constructor(ports: RouterPorts, request: IncomingMessage, target: Target) {
    this.#ports = ports;
    this.#startedMs = ports.clock.monotonicMs();
    this.#pathname = target.pathname;
    this.request = request;
    this.query = target.query;
    if (target.hostBody !== undefined) this.hostBody = target.hostBody;
  }

  get environment(): Environment {
    this.#environment ??= this.#chooseEnvironment();
    return this.#environment;
  }

  get match(): Match<Route> {
    this.#match ??= this.#findRoute();
    return this.#match;
  }

  authenticate(options?: AuthenticateOptions): Principal | Promise<Principal> {
    const { request } = this;
    const admitted = this.#ports.guard.authenticate(
      {
        headersDistinct: request.headersDistinct,
        url: originalTarget(request),
        remoteAddress: request.socket.remoteAddress,
      },
      this.environment,
      options,
    );
    if (admitted instanceof Promise) return admitted.then((principal) => this.#remember(principal));
    return this.#remember(admitted);
  }

  /** Answers in any case, and logs; never rejects. */
  async answer(response: ServerResponse): Promise<void> {
    let answer: Answer;
    try {
      answer = this.#answerWithoutKey() ?? (await this.#ports.api.answer(this));
    } catch (error) {
      answer = this.#refuse(error);
    }
    const crossOrigin = isPublishable(this.#match?.route);
    sendAnswer(response, { requestId: this.requestId, crossOrigin }, answer);
    this.#log(answer.status);
  }

  /** What is decided before the guard: 503, 421, preflights, the document, 404, 405. */
  #answerWithoutKey(): Answer | undefined {
    const { api, isClosing } = this.#ports;
    if (isClosing()) throw new PaymountError('unavailable');
    const open = api.answerWithoutKey(this.request.method ?? 'GET', this.#pathname);
    if (open !== undefined) return open;
    this.#environment = this.#chooseEnvironment();
    this.#match = this.#findRoute();
    return undefined;
  }

  #findRoute(): Match<Route> {
    return this.#ports.api.find(this.request.method ?? 'GET', this.#pathname);
  }

  #chooseEnvironment(): Environment {
    const { environment } = this.#ports;
    const chosen = typeof environment === 'function' ? environment(this.request) : environment;
    if (chosen === undefined) throw new PaymountError('environment_unknown');
    return chosen;
  }

  #remember(principal: Principal): Principal {
    this.#principal = principal;
    return principal;
  }

  #refuse(error: unknown): Answer {
    const known = asPaymountError(error);
    if (known.cause !== undefined) {
      const { logger } = this.#ports;
      const err = known.cause instanceof Error ? known.cause : new Error(String(known.cause));
      const facts = { request_id: this.requestId, code: known.code, err };
      if (known.code === 'internal_error') logger.error(facts, 'A request failed unexpectedly.');
      else logger.warn(facts, 'A request failed.');
    }
    return renderError(known, this.requestId);
  }

  #log(status: number): void {
    const { clock, logger } = this.#ports;
    logger.info(
      {
        request_id: this.requestId,
        method: this.request.method,
        route: this.#match?.route.pattern,
        status,
        duration_ms: Math.round((clock.monotonicMs() - this.#startedMs) * 10) / 10,
        account: this.#principal?.accountId,
        key_id: this.#principal?.kind === 'key' ? this.#principal.keyId : undefined,
        environment: this.#environment,
      },
      'A request was answered.',
    );
  }
}
