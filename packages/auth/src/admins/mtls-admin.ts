import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { isListed, peerAddress, rangesFromOption } from '@paymount/core/access';
import { type AllOptions, ANY_OPTION, assertOptions, objectOption } from '@paymount/core/kernel';
import {
  type AdminFacts,
  type Authenticator,
  CredentialMissing,
  toAdmin,
  unauthenticated,
} from './admin.ts';

export interface MtlsAdminOptions {
  /**
   * The admins by the names in their certificates, with the type of the name:
   * `URI:spiffe://example/ops`, `DNS:ops.example`, `email:ops@example`. Exactly as written; no
   * wildcards.
   */
  readonly san: Readonly<Record<string, AdminFacts>>;
  /** For hosts behind a proxy that terminates TLS. @defaultValue only the socket's certificate */
  readonly proxy?: {
    /**
     * Contains one such name after the proxy has verified the certificate; the proxy must remove
     * this header from requests of clients.
     */
    readonly header: string;
    /** Addresses and CIDR ranges of the proxies themselves. */
    readonly trustedProxies: readonly string[];
  };
}

const OPTIONS: AllOptions<MtlsAdminOptions> = {
  san: ANY_OPTION,
  proxy: objectOption({ header: ANY_OPTION, trustedProxies: ANY_OPTION }),
};

interface TrustedHeader {
  readonly name: string;
  readonly ranges: readonly string[];
}

/**
 * Admins by client certificate: the socket's, verified against the `ca` of the host's server
 * (`requestCert: true`), or the name that a trusted proxy read in one. Browsers send a certificate
 * automatically, so the management router also checks that a write did not come from a foreign
 * page.
 * @throws TypeError for an empty table, an invalid admin, an unknown option, or invalid proxy
 *   addresses
 * @returns an authenticator; it answers 401 `admin_unauthenticated`
 */
export function mtlsAdmin(options: MtlsAdminOptions): Authenticator {
  assertOptions('mtlsAdmin()', OPTIONS, options);
  const { san, proxy }: Partial<MtlsAdminOptions> = options ?? {};
  const admins = new Map(Object.entries(san ?? {}));
  if (admins.size === 0) {
    throw new TypeError(
      "`san` names no admin; it must be a table such as { 'URI:spiffe://example/ops': { id, roles } }.",
    );
  }
  for (const facts of admins.values()) toAdmin(facts, 'mtls');
  const header = proxy && trustedHeader(proxy);
  return async (request) => {
    for (const name of readCertificateNames(request, header)) {
      const facts = admins.get(name);
      if (facts !== undefined) return toAdmin(facts, 'mtls');
    }
    const message = 'Connect with a client certificate that names an admin.';
    throw showsCertificate(request, header)
      ? unauthenticated(message)
      : new CredentialMissing(message);
  };
}

function trustedHeader({ header, trustedProxies }: NonNullable<MtlsAdminOptions['proxy']>) {
  return {
    name: header.toLowerCase(),
    ranges: rangesFromOption(trustedProxies, 'proxy.trustedProxies'),
  };
}

/** Whether there is a certificate, verified or not, or a proxy's header about one. */
function showsCertificate(
  { socket, headers }: IncomingMessage,
  header: TrustedHeader | undefined,
): boolean {
  if (header !== undefined && headers[header.name] !== undefined) return true;
  return socket instanceof TLSSocket && socket.getPeerX509Certificate() !== undefined;
}

/** The verified names of the client's certificate. */
function readCertificateNames(
  request: IncomingMessage,
  header: TrustedHeader | undefined,
): readonly string[] {
  const { socket } = request;
  if (header !== undefined && isListed(header.ranges, peerAddress(socket.remoteAddress))) {
    const values = request.headersDistinct[header.name] ?? [];
    // There are two of them: one is from a client, and the proxy did not remove it.
    return values.length === 1 ? values : [];
  }
  if (!(socket instanceof TLSSocket) || !socket.authorized) return [];
  return namesIn(socket.getPeerX509Certificate()?.subjectAltName);
}

/**
 * Node writes `DNS:a, URI:b`, and puts an ambiguous name in JSON quotes; such a name matches no
 * admin.
 */
function namesIn(subjectAltName: string | undefined): readonly string[] {
  if (subjectAltName === undefined || subjectAltName.includes('"')) return [];
  return subjectAltName.split(', ');
}
