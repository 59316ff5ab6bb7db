import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { isLoopback } from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';
import type { ClientAddresses } from '../addresses/client-address.ts';

export interface TlsCheckOptions {
  readonly addresses: Pick<ClientAddresses, 'isTrustedProxy'>;
  /**
   * The header in which trusted proxies name the client's TLS version, such as `TLSv1.3`.
   * @defaultValue no header is read
   */
  readonly versionHeader?: string;
}

/** The parts of a request that are read. */
export type TlsRequest = Pick<IncomingMessage, 'headers' | 'socket'>;

const FORWARDED_PROTO = 'x-forwarded-proto';
/** Headers that only a proxy sends, or a client that imitates one. */
const FORWARDING = [
  FORWARDED_PROTO,
  'x-forwarded-for',
  'x-forwarded-host',
  'x-real-ip',
  'forwarded',
  'via',
] as const;
const STRONG = new Set(['TLSv1.2', 'TLSv1.3']);
/** As nginx and HAProxy (`TLSv1.2`), load balancers (`TLS1.2`) and Apache's modules write it. */
const STRONG_HEADER = /^(?:TLS)?v?1\.[23]$/i;

/** Refuses requests whose credential was sent over an unencrypted connection, before it is read. */
export class TlsCheck {
  readonly #addresses: TlsCheckOptions['addresses'];
  readonly #versionHeader: string | undefined;

  constructor({ addresses, versionHeader }: TlsCheckOptions) {
    this.#addresses = addresses;
    this.#versionHeader = versionHeader?.toLowerCase();
  }

  /**
   * Accepts: TLS 1.2 or 1.3 to this process; TLS to a trusted proxy, according to its headers; and
   * requests from this machine.
   * @throws PaymountError `tls_required`, whose message says what was found
   */
  assert(request: TlsRequest): void {
    const { headers, socket } = request;
    // Behind a proxy, the proxy's own connection says nothing about the client's.
    if (this.#addresses.isTrustedProxy(socket.remoteAddress)) {
      this.#assertForwarded(headers);
    } else if (socket instanceof TLSSocket) {
      const version = socket.getProtocol() ?? 'an unknown version';
      if (!STRONG.has(version)) throw refused(`over ${version}`);
    } else if (!isLoopback(socket.remoteAddress ?? '')) {
      throw refused(headers[FORWARDED_PROTO] === undefined ? 'without TLS' : UNTRUSTED);
    } else if (FORWARDING.some((name) => headers[name] !== undefined)) {
      throw refused(UNTRUSTED);
    }
  }

  /** Each proxy of a chain may have added a value: all must be the same. */
  #assertForwarded(headers: TlsRequest['headers']): void {
    const scheme = headers[FORWARDED_PROTO];
    if (scheme === undefined) throw refused(UNNAMED);
    const isHttps = String(scheme)
      .split(',')
      .every((hop) => hop.trim().toLowerCase() === 'https');
    if (!isHttps) throw refused('without TLS to the proxy');
    if (this.#versionHeader === undefined) return;
    const version = headers[this.#versionHeader];
    if (typeof version === 'string' && STRONG_HEADER.test(version.trim())) return;
    throw refused('over a version of TLS that the proxy does not call 1.2 or later');
  }
}

const UNTRUSTED =
  'without TLS, from a proxy that is not trusted (the host lists those in `trustedProxies`)';

const UNNAMED =
  'from a trusted proxy without `X-Forwarded-Proto`, which says whether its client used TLS';

function refused(how: string): PaymountError {
  return new PaymountError('tls_required', `The request came ${how}; TLS 1.2 or later is needed.`);
}
