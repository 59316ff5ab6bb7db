import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type AuthenticateOptions,
  type ClientAddresses,
  type Counted,
  type Guard,
  type Limits,
  RateLimited,
  requireAllowed,
  type TlsCheck,
  type UsageRecorder,
} from '@paymount/auth';
import { addressBlock, type UrlLeaks } from '@paymount/core/access';
import {
  type Clock,
  type Environment,
  type Logger,
  newId,
  PaymountError,
  type Principal,
  type RequestId,
  type Telemetry,
} from '@paymount/core/kernel';
import {
  type Api,
  type ByteHolder,
  type BytesInFlight,
  EventStream,
  type FormSelector,
  type HeldBytes,
  isPublishable,
  type Match,
  originalTarget,
  type RequestContext,
  type Route,
  type RouteResponse,
  type SentWith,
  sendResponse,
  sendStream,
  type WriteForm,
} from '@paymount/http';
import { environmentFor, type MountEnvironment } from '../options/mount-environment.ts';
import type { WorkInFlight } from '../parts/work-in-flight.ts';
import { assertAcceptable } from './assert-acceptable.ts';
import { deprecationHeaders } from './deprecation-headers.ts';
import { errorResponse } from './error-response.ts';
import { holdAnswer, releaseWhenClosed } from './held-answer.ts';
import { portsForRequest } from './host-request-id.ts';
import { mountedRouter, type Router } from './mounted-router.ts';
import type { WarnOfProxies } from './proxy-warning.ts';
import { principalLogFacts, requestLogFacts } from './request-log-facts.ts';
import { apiTarget, mountedTarget, type RequestTarget, requestTarget } from './request-target.ts';

/**
 * Anybody can send bodies with a publishable key, so they are held for a short time. The largest
 * metadata in JSON, beside a card and an address, have less than 128 KiB.
 */
const MAX_VISITOR_BYTES = 131_072;
const VISITOR_BODY_MS = 3_000;

export interface RouterPorts {
  readonly environment: MountEnvironment;
  readonly requireTls: boolean;
  readonly tls: Pick<TlsCheck, 'assert'>;
  readonly clients: ClientAddresses;
  readonly guard: Pick<Guard, 'authenticate'>;
  readonly limits: Pick<Limits, 'countRequest'>;
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly urlLeaks: Pick<UrlLeaks, 'note'>;
  readonly api: Api;
  readonly selectForm: FormSelector;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly warnOfProxies: WarnOfProxies;
  readonly inFlight: WorkInFlight;
  readonly bytes: BytesInFlight;
}

/**
 * Step 1 of a request: environment, `Request-Id`, route, one log line. Paths outside `/v1` are
 * passed on to the host's own routes, if there are any.
 */
export function createRouter(ports: RouterPorts): Router {
  return mountedRouter((request, response, { isAlone, hasOwnPath, hostBody }) => {
    const target = isAlone ? requestTarget(request) : apiTarget(request, hasOwnPath);
    if (target === undefined) return false;
    const asked = hostBody ? { ...target, hostBody } : target;
    const routed = new RoutedRequest(portsForRequest(ports, request, response), request, asked);
    ports.inFlight.add(routed.respond(response));
    return true;
  });
}

interface Target extends RequestTarget {
  readonly hostBody?: NonNullable<RequestContext['hostBody']>;
}

/** One request, from its arrival to its log line. */
class RoutedRequest implements RequestContext {
  readonly request: IncomingMessage;
  readonly requestId: RequestId = newId('req');
  readonly query: string;
  readonly hostBody?: NonNullable<RequestContext['hostBody']>;
  readonly #ports: RouterPorts;
  readonly #pathname: string;
  readonly #startedMs: number;
  #environment: Environment | undefined;
  #match: Match<Route> | undefined;
  #principal: Principal | undefined;
  address: string | undefined;
  #held: HeldBytes | undefined;
  #headers: Record<string, string> = {};
  #heldKey = false;

  constructor(ports: RouterPorts, request: IncomingMessage, target: Target) {
    this.#ports = ports;
    this.#startedMs = ports.clock.monotonicMs();
    this.#pathname = target.pathname;
    this.request = request;
    this.query = target.query;
    if (target.hostBody !== undefined) this.hostBody = target.hostBody;
  }

  get environment(): Environment {
    this.#environment ??= environmentFor(this.#ports.environment, this.request);
    return this.#environment;
  }

  get match(): Match<Route> {
    this.#match ??= this.#findRoute();
    return this.#match;
  }

  /** Undefined until the sender is known; before, nothing of a body is read. */
  get held(): HeldBytes | undefined {
    if (this.#principal) {
      this.#held ??= this.#ports.bytes.open(this.#holder(this.#principal));
    }
    return this.#held;
  }

  get maxBytes(): number | undefined {
    return this.#isFromVisitor ? MAX_VISITOR_BYTES : undefined;
  }

  get timeoutMs(): number | undefined {
    return this.#isFromVisitor ? VISITOR_BODY_MS : undefined;
  }

  get #isFromVisitor(): boolean {
    return this.#principal?.kind === 'key' && this.#principal.keyType === 'publishable';
  }

  get form(): WriteForm {
    const { mount } = mountedTarget(this.request, this.#pathname);
    return this.#ports.selectForm(this.request, mount);
  }

  authenticate(options?: AuthenticateOptions): Principal | Promise<Principal> {
    const { request } = this;
    // After a client has disconnected, its socket no longer has its address.
    this.address ??= this.#ports.clients.ofRequest(request);
    const admitted = this.#ports.guard.authenticate(
      { rawHeaders: request.rawHeaders, address: this.address },
      this.environment,
      options,
    );
    if (admitted instanceof Promise) return admitted.then((principal) => this.#count(principal));
    return this.#count(admitted);
  }

  /** Always responds, and logs; never rejects. */
  async respond(response: ServerResponse): Promise<void> {
    try {
      await this.#answer(response);
    } finally {
      releaseWhenClosed(this.#held, response);
    }
  }

  async #answer(response: ServerResponse): Promise<void> {
    let reply: RouteResponse | EventStream;
    try {
      reply = this.#respondWithoutKey() ?? (await this.#ports.api.handle(this));
      if (!(reply instanceof EventStream)) holdAnswer(this.held, reply, response);
    } catch (error) {
      reply = this.#refuse(error);
    }
    const crossOrigin = isPublishable(this.#match?.route);
    const { form, requestId } = this;
    const sent = { requestId, crossOrigin, form, headers: this.#headers };
    if (reply instanceof EventStream) {
      this.#recordUse(200);
      await sendStream(response, { sent, stream: reply }).catch((error) => this.#refuse(error));
      this.#log(200);
      return;
    }
    const status = this.#send(response, sent, reply);
    this.#recordUse(status);
    this.#log(status);
    if (this.#heldKey) this.#noteLeak();
  }

  /** @returns the status that was sent: 500 for a response that cannot be rendered */
  #send(response: ServerResponse, sent: SentWith, reply: RouteResponse): number {
    try {
      sendResponse(response, sent, reply);
      return reply.status;
    } catch (error) {
      const refused = this.#refuse(error);
      sendResponse(response, { requestId: this.requestId }, refused);
      return refused.status;
    }
  }

  /** The checks before the guard: on arrival, 503, 421, preflights, the document, 404, 405. */
  #respondWithoutKey(): RouteResponse | undefined {
    const { api, inFlight, warnOfProxies } = this.#ports;
    warnOfProxies(this.request);
    assertAcceptable(this.request, this.#ports, () => this.match);
    if (inFlight.isClosing) throw new PaymountError('unavailable');
    const target = mountedTarget(this.request, this.#pathname);
    const open = api.respondWithoutKey(this.request.method ?? 'GET', target);
    if (open !== undefined) return open;
    this.#environment = environmentFor(this.#ports.environment, this.request);
    this.#match = this.#findRoute();
    return undefined;
  }

  #findRoute(): Match<Route> {
    return this.#ports.api.find(this.request.method ?? 'GET', this.#pathname);
  }

  /** Step 9 of the guard's order: once per request, even if the guard is called several times. */
  #count(principal: Principal): Principal | Promise<Principal> {
    const isFirst = this.#principal === undefined;
    this.#principal = principal;
    if (!isFirst) return principal;
    this.#ports.warnOfProxies(this.request, principal.accountId);
    this.#headers = deprecationHeaders(principal);
    const counted = this.#ports.limits.countRequest(principal, this.address);
    if (!(counted instanceof Promise)) return this.#applyLimit(counted, principal);
    return counted.then((found) => {
      this.#applyLimit(found, principal);
      // The key may have been revoked while it waited for Redis, so decide again in this turn.
      return this.authenticate();
    });
  }

  #applyLimit(counted: Counted | undefined, principal: Principal): Principal {
    if (counted === undefined) return principal;
    Object.assign(this.#headers, counted.headers);
    requireAllowed(counted.state);
    return principal;
  }

  #recordUse(status: number): void {
    const principal = this.#principal;
    if (principal?.kind !== 'key' && principal?.kind !== 'token') return;
    // Requests with a publishable key come from visitors: nothing that identifies them is stored.
    this.#ports.usage.record(principal.kind === 'key' ? principal.keyId : principal.grantId, {
      status,
      address: this.address,
      userAgent: this.request.headers['user-agent'],
      namesAddresses: !this.#isFromVisitor,
    });
  }

  /** Whose requests count together: of those with a public key, one visitor's. */
  #holder(principal: Principal): ByteHolder {
    const { environment: pool, accountId: account } = principal;
    if (principal.kind === 'token') return { pool, account, caller: principal.grantId };
    if (this.#isFromVisitor && principal.kind === 'key') {
      const caller = `${principal.keyId} ${addressBlock(this.address)}`;
      return { pool: `${pool} visitors`, account, caller };
    }
    return { pool, caller: account };
  }

  #refuse(error: unknown): RouteResponse {
    this.#heldKey = PaymountError.is(error) && error.code === 'key_in_url';
    if (error instanceof RateLimited) this.#headers = { ...error.headers, ...this.#headers };
    return errorResponse(error, this.requestId, this.#ports);
  }

  /** Notifies the owner of the key, after the request was answered. */
  #noteLeak(): void {
    const { method = 'GET' } = this.request;
    const route = `${method} ${this.#match?.route.pattern ?? '(no route)'}`;
    this.#ports.urlLeaks.note(originalTarget(this.request), route);
  }

  #log(status: number): void {
    const { clock, logger } = this.#ports;
    logger.info(
      {
        ...requestLogFacts(this, {
          startedMs: this.#startedMs,
          clock,
          route: this.#match?.route.pattern,
          status,
        }),
        ...principalLogFacts(this.#principal),
        environment: this.#environment,
      },
      'A request was answered.',
    );
  }
}
