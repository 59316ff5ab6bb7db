import type { CrashPoint, Environment } from '@paymount/core/kernel';
import { createAddressRules, readOwnAddresses } from './address-rules.ts';
import { createDial, type Dial, type Route } from './connector.ts';
import { createDirectRoute } from './direct-route.ts';
import { EgressError } from './egress-error.ts';
import { Exchange, type ExchangeEnd, type ExchangeLimits } from './exchange.ts';
import { createTlsContext } from './handshake.ts';
import { IdleLines } from './idle-lines.ts';
import { Line } from './line.ts';
import { readOwnHosts } from './own-hosts.ts';
import { createProxyRoute } from './proxy-route.ts';
import { createUrlValidator, type ExtraPorts, type UrlVerdict } from './registration-rules.ts';
import { createLookUp, type LookUp } from './resolver.ts';
import { type SendResult, toSendResult } from './send-result.ts';
import { TlsSessions } from './tls-sessions.ts';

/** The allowed destinations; the host's `egress` options. */
export interface EgressOptions {
  /**
   * Networks that are allowed although they are not public, `address/prefix`.
   * @defaultValue none
   */
  readonly allowedNetworks?: readonly string[];
  /** @defaultValue none besides 443 and 8443 (and 80 in test) */
  readonly ports?: ExtraPorts;
  /** PEM certificates of a private authority. @defaultValue Node's */
  readonly ca?: string;
  /** Names and public addresses of this service itself, to which nothing is sent. */
  readonly ownHosts?: readonly string[];
  /**
   * An HTTP proxy, `http://user:password@host:port`, which decides about addresses.
   * @defaultValue none
   */
  readonly proxy?: string;
}

export interface DeliveryClientOptions extends EgressOptions {
  /** Unix milliseconds, to read a `Retry-After` date and for the age of TLS sessions. */
  readonly nowMs: () => number;
  /** The time from DNS to the response headers. @defaultValue 20,000 */
  readonly deadlineMs?: number;
  /** When `onHeadersSlow` is called. @defaultValue 3,000 */
  readonly slowAfterMs?: number;
  /** The time for the body after the headers. @defaultValue 2,000 */
  readonly bodyMs?: number;
  /** @defaultValue the machine's name servers */
  readonly lookUp?: LookUp;
  /** For crash tests: called with `send.request_written`. */
  readonly crashPoint?: CrashPoint;
}

export const DELIVERY_DEADLINE_MS = 20_000;
export const HEADERS_SLOW_AFTER_MS = 3_000;
const BODY_MS = 2_000;
const MAX_BODY_BYTES = 16_384;
const MAX_KNOWN_TARGETS = 1_000;

/** One HTTP call of a delivery. */
export interface SendRequest {
  /** The URL as registration stored it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly environment: Environment;
  /** Called once if no headers arrived after 3 s. */
  readonly onHeadersSlow?: () => void;
}

/** The only way to connect to an address that a user gave. */
export interface DeliveryClient {
  /**
   * Sends one POST. Every outcome is returned as a result, within the deadline and 2 s.
   * @throws TypeError if a header cannot be sent; nothing was sent
   */
  send(request: SendRequest): Promise<SendResult>;
  /** Lets running sends end, then closes all connections. It is safe to call twice. */
  close(): Promise<void>;
}

/**
 * Makes the client for all URLs of users: addresses are checked at each connect, redirects are
 * never followed, one deadline covers the time from DNS to the headers, bodies are limited. Proxy
 * variables of the environment are ignored.
 * @throws RangeError if an entry of `allowedNetworks` is not a network, one of `ownHosts` not a
 *   host, or `proxy` not the URL of a proxy
 */
export function createDeliveryClient(options: DeliveryClientOptions): DeliveryClient {
  return new UndiciDeliveryClient(options);
}

const NOT_ALLOWED: ExchangeEnd = {
  body: Buffer.alloc(0),
  truncated: false,
  error: new EgressError('blocked_address'),
  reusedConnection: false,
};

interface Target {
  readonly origin: string;
  readonly path: string;
}

interface Send {
  readonly request: SendRequest;
  readonly startedMs: number;
}

class UndiciDeliveryClient implements DeliveryClient {
  readonly #options: DeliveryClientOptions;
  readonly #dial: Dial;
  readonly #idle = new IdleLines();
  readonly #urlValidators: Readonly<Record<Environment, (url: string) => UrlVerdict>>;
  // Parsing and validating a URL costs as much as signing; the same endpoints occur again.
  readonly #targets = new Map<string, Target | undefined>();
  #running = 0;
  #closing: Promise<void> | undefined;
  #onLastEnded: () => void = () => undefined;

  constructor(options: DeliveryClientOptions) {
    const { allowedNetworks = [], ports = [], ownHosts = [], ca } = options;
    this.#dial = createDial({
      route: routeOf(options),
      sessions: new TlsSessions(options.nowMs),
      context: createTlsContext(ca),
    });
    const validatorFor = (environment: Environment): ((url: string) => UrlVerdict) =>
      createUrlValidator({ environment, allowedNetworks, ports, ownHosts });
    this.#options = options;
    this.#urlValidators = { live: validatorFor('live'), test: validatorFor('test') };
  }

  async send(request: SendRequest): Promise<SendResult> {
    const startedMs = performance.now();
    const { nowMs } = this.#options;
    const target = this.#resolveTarget(request);
    if (target === undefined)
      return toSendResult(NOT_ALLOWED, { startedMs, redialed: false, nowMs });
    this.#running += 1;
    try {
      const kept = this.#idle.take(target.origin);
      const first = kept && (await this.#exchange(kept, target, { request, startedMs }));
      // The receiver may have read whatever was written: only an unwritten request may follow.
      if (first?.connection !== undefined) {
        return toSendResult(first, { startedMs, redialed: false, nowMs });
      }
      const fresh = new Line(target.origin, this.#dial, (line) => this.#idle.remove(line));
      const end = await this.#exchange(fresh, target, { request, startedMs });
      return toSendResult(end, { startedMs, redialed: first !== undefined, nowMs });
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onLastEnded();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onLastEnded = resolve;
      });
    }
    this.#idle.closeAll();
  }

  /** Checked again at each send: the options may be stricter than when the URL was registered. */
  #resolveTarget({ url, environment }: SendRequest): Target | undefined {
    const key = `${environment} ${url}`;
    if (this.#targets.has(key)) return this.#targets.get(key);
    const verdict = this.#urlValidators[environment](url);
    const target = verdict.ok ? split(verdict.href) : undefined;
    if (this.#targets.size >= MAX_KNOWN_TARGETS) this.#targets.clear();
    this.#targets.set(key, target);
    return target;
  }

  async #exchange(line: Line, { path }: Target, send: Send): Promise<ExchangeEnd> {
    const { headers, body } = send.request;
    try {
      return await new Promise((resolve, reject) => {
        const exchange = new Exchange(this.#limits(send), { ended: resolve, refused: reject });
        line.run({ path, headers, body }, exchange);
      });
    } finally {
      this.#release(line);
    }
  }

  #limits({ request, startedMs }: Send): ExchangeLimits {
    const {
      deadlineMs = DELIVERY_DEADLINE_MS,
      slowAfterMs = HEADERS_SLOW_AFTER_MS,
      bodyMs = BODY_MS,
      crashPoint,
    } = this.#options;
    return {
      deadlineMs: startedMs + deadlineMs,
      slowAtMs: startedMs + slowAfterMs,
      onSlow: request.onHeadersSlow,
      onWritten: crashPoint && (() => crashPoint('send.request_written')),
      bodyMs,
      maxBodyBytes: MAX_BODY_BYTES,
    };
  }

  /** After the listeners of its response, which close a connection that may not be kept. */
  #release(line: Line): void {
    line.release();
    if (line.isFree && this.#closing === undefined) this.#idle.keep(line);
    else line.close();
  }
}

function routeOf({
  allowedNetworks = [],
  ownHosts = [],
  proxy,
  lookUp = createLookUp(),
}: DeliveryClientOptions): Route {
  if (proxy !== undefined) return createProxyRoute(proxy);
  const ownAddresses = [...readOwnAddresses(), ...readOwnHosts(ownHosts).addresses];
  return createDirectRoute(createAddressRules({ allowedNetworks, ownAddresses }), lookUp);
}

function split(href: string): Target {
  const { origin, pathname, search } = new URL(href);
  return { origin, path: `${pathname}${search}` };
}
