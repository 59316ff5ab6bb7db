import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Admin,
  type Authenticator,
  type ClientAddresses,
  type Limits,
  pageKind,
  RateLimited,
  rejectApiKeys,
  requireAllowed,
  type TlsCheck,
} from '@paymount/auth';
import type { UrlLeaks } from '@paymount/core/access';
import {
  type Clock,
  type LogFacts,
  type Logger,
  newId,
  PaymountError,
  type RequestId,
  type Telemetry,
  toError,
} from '@paymount/core/kernel';
import {
  type ByteHolder,
  type BytesInFlight,
  docForm,
  type HeldBytes,
  Lines,
  type Match,
  originalTarget,
  type RouteResponse,
  type SentWith,
  sendLines,
  sendResponse,
} from '@paymount/http';
import {
  type AdminApi,
  type AdminRequestContext,
  callerName,
  type Management,
  type ManagementRoute,
} from '@paymount/management';
import type { WorkInFlight } from '../parts/work-in-flight.ts';
import { assertAcceptable } from './assert-acceptable.ts';
import { errorResponse } from './error-response.ts';
import { holdAnswer, releaseWhenClosed } from './held-answer.ts';
import { requestLogFacts } from './request-log-facts.ts';
import { mountedTarget, type RequestTarget } from './request-target.ts';

export interface AdminRequestPorts {
  readonly authenticate: Authenticator;
  readonly management: AdminApi & Partial<Pick<Management, 'respondWithoutLogin'>>;
  readonly clients: ClientAddresses;
  /** The origins of the pages that may write; absent: the origin to which a request was sent. */
  readonly origins?: readonly string[];
  /** The base of links to error pages. @defaultValue the link in the error */
  readonly docUrl?: string;
  readonly requireTls: boolean;
  readonly tls: Pick<TlsCheck, 'assert'>;
  readonly limits: Pick<Limits, 'countAdmin'>;
  readonly urlLeaks: Pick<UrlLeaks, 'note'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly inFlight: WorkInFlight;
  readonly bytes: BytesInFlight;
}

type HostBody = NonNullable<AdminRequestContext['hostBody']>;

/** One request of an admin or a merchant's user, from its arrival to its log line. */
export class RoutedAdminRequest implements AdminRequestContext {
  readonly request: IncomingMessage;
  readonly requestId: RequestId = newId('req');
  readonly query: string;
  readonly ip: string | undefined;
  readonly hostBody?: HostBody;
  readonly origins?: readonly string[];
  readonly #ports: AdminRequestPorts;
  readonly #pathname: string;
  readonly #startedMs: number;
  #match: Match<ManagementRoute> | undefined;
  #admin: Admin | undefined;
  #held: HeldBytes | undefined;
  #headers: Readonly<Record<string, string>> = {};

  /** @param target below the mount of the routes */
  constructor(
    ports: AdminRequestPorts,
    request: IncomingMessage,
    { pathname, query, hostBody }: RequestTarget & { readonly hostBody?: HostBody },
  ) {
    this.#ports = ports;
    this.#startedMs = ports.clock.monotonicMs();
    this.#pathname = pathname;
    this.request = request;
    this.query = query;
    this.ip = ports.clients.ofRequest(request);
    if (hostBody !== undefined) this.hostBody = hostBody;
    if (ports.origins !== undefined) this.origins = ports.origins;
  }

  get match(): Match<ManagementRoute> {
    this.#match ??= this.#ports.management.find(this.request.method ?? 'GET', this.#pathname);
    return this.#match;
  }

  /** Undefined until the admin is known; before, nothing of a body is read. */
  get held(): HeldBytes | undefined {
    if (this.#admin) this.#held ??= this.#ports.bytes.open(toHolder(this.#admin));
    return this.#held;
  }

  async authenticate(): ReturnType<AdminRequestContext['authenticate']> {
    const { authenticate, clock, limits } = this.#ports;
    rejectApiKeys(this.request);
    const now = clock.now();
    const admin = await authenticate(this.request, now);
    this.#admin = admin;
    const page = pageKind(this.request, this.origins);
    const counted = await limits.countAdmin(callerName(admin), page);
    if (counted !== undefined) {
      this.#headers = counted.headers;
      requireAllowed(counted.state);
    }
    return { admin, now };
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
    const reply = await this.#decide(response);
    const { requestId } = this;
    const sent = { requestId, form: docForm(this.#ports), headers: this.#headers };
    if (reply instanceof Lines) {
      await this.#sendLines(response, sent, reply);
    } else {
      sendResponse(response, sent, reply);
      this.#log(reply.status);
    }
  }

  async #decide(response: ServerResponse): Promise<RouteResponse | Lines> {
    try {
      const reply = this.#respondWithoutLogin() ?? (await this.#ports.management.handle(this));
      if (!(reply instanceof Lines)) holdAnswer(this.held, reply, response);
      return reply;
    } catch (error) {
      if (PaymountError.is(error) && error.code === 'key_in_url') this.#noteLeak();
      if (error instanceof RateLimited) this.#headers = { ...error.headers, ...this.#headers };
      return errorResponse(error, this.requestId, this.#ports);
    }
  }

  /** The checks before the login: on arrival, 503, the document, 404, 405. */
  #respondWithoutLogin(): RouteResponse | undefined {
    const { management, inFlight } = this.#ports;
    assertAcceptable(this.request, this.#ports, () => this.match);
    if (inFlight.isClosing) throw new PaymountError('unavailable');
    const { method = 'GET' } = this.request;
    const target = mountedTarget(this.request, this.#pathname);
    const open = management.respondWithoutLogin?.(method, target);
    if (open === undefined) this.#match = management.find(method, this.#pathname);
    return open;
  }

  /** Notifies the owner of the key, after the request was answered. */
  #noteLeak(): void {
    const route = `${this.request.method ?? 'GET'} ${this.#match?.route.pattern ?? '(no route)'}`;
    this.#ports.urlLeaks.note(originalTarget(this.request), route);
  }

  async #sendLines(response: ServerResponse, sent: SentWith, lines: Lines): Promise<void> {
    const { logger } = this.#ports;
    try {
      if (await sendLines(response, sent, lines)) this.#log(200);
      else
        logger.info(
          this.#facts(200),
          'A client disconnected before it had received the whole answer.',
        );
    } catch (cause) {
      const err = toError(cause);
      logger.error({ ...this.#facts(200), err }, 'An answer could not be completed.');
    }
  }

  #log(status: number): void {
    this.#ports.logger.info(this.#facts(status), 'A request of an admin was answered.');
  }

  #facts(status: number): LogFacts {
    return {
      ...requestLogFacts(this, {
        startedMs: this.#startedMs,
        clock: this.#ports.clock,
        route: this.#match?.route.pattern,
        status,
      }),
      admin: this.#admin?.id,
    };
  }
}

/** Users of merchants cannot take what admins need. */
function toHolder(admin: Admin): ByteHolder {
  const caller = callerName(admin);
  if (admin.kind !== 'user') return { pool: 'admin', caller };
  const [account] = admin.accounts === 'all' ? [] : admin.accounts;
  return { pool: 'dashboard', caller, ...(account && { account }) };
}
