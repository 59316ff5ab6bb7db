import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { PaymountError } from '@paymount/core/kernel';
import type { ClientAddresses } from '../addresses/client-address.ts';

export interface TlsCheckOptions {
  readonly addresses: Pick<ClientAddresses, 'isTrustedProxy'>;
  /**
   * The header in which trusted proxies name the TLS version of the client, as in `TLSv1.3`.
   * @defaultValue theirs is not looked at
   */
  readonly versionHeader?: string;
}

/** What is read of a request. */
export type TlsRequest = Pick<IncomingMessage, 'headers' | 'socket'>;

const FORWARDED_PROTO = 'x-forwarded-proto';
/** Whoever sends one of these is a proxy, or wants to be taken for one. */
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

/** Refuses requests whose credential crossed a network in the clear, before it is read. */
export class TlsCheck {
  readonly #addresses: TlsCheckOptions['addresses'];
  readonly #versionHeader: string | undefined;

  constructor({ addresses, versionHeader }: TlsCheckOptions) {
    this.#addresses = addresses;
    this.#versionHeader = versionHeader?.toLowerCase();
  }

  /**
   * Lets pass: TLS 1.2 or 1.3 to this process; to a trusted proxy, which says so; and what never
   * left the machine.
   * @throws PaymountError `tls_required`, whose message says what was found
   */
  assert(request: TlsRequest): void {
    const { headers, socket } = request;
    // Behind a proxy its own connection says nothing of the client's, encrypted or not.
    if (this.#addresses.isTrustedProxy(socket.remoteAddress)) {
      this.#assertForwarded(headers);
    } else if (socket instanceof TLSSocket) {
      const version = socket.getProtocol() ?? 'an unknown version';
      if (!STRONG.has(version)) throw refused(`over ${version}`);
    } else if (!isLoopback(socket.remoteAddress)) {
      throw refused(headers[FORWARDED_PROTO] === undefined ? 'without TLS' : UNTRUSTED);
    } else if (FORWARDING.some((name) => headers[name] !== undefined)) {
      throw refused(UNTRUSTED);
    }
  }

  /** Each proxy of a chain may have added its own: all must say the same. */
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

function isLoopback(remoteAddress: string | undefined): boolean {
  if (remoteAddress === undefined) return false;
  return (
    remoteAddress.startsWith('127.') ||
    remoteAddress === '::1' ||
    remoteAddress.startsWith('::ffff:127.')
  );
}
