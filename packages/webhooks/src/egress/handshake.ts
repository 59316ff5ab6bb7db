import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { EgressError, foldTlsError } from './egress-error.ts';
import type { HoldSocket } from './tcp.ts';
import type { TlsSession, TlsSessions, Verification } from './tls-sessions.ts';

export interface Handshake {
  readonly hostname: string;
  /** Host and port, under which the session is kept. */
  readonly target: string;
  /** Resumed if the receiver agrees; otherwise its certificate is verified. */
  readonly session: TlsSession | undefined;
  readonly sessions: TlsSessions;
  /** Of `createTlsContext`. */
  readonly context: SecureContext;
}

/**
 * The authorities and versions of all handshakes: making it costs more than a handshake.
 * @param ca PEM certificates instead of Node's
 */
export function createTlsContext(ca: string | undefined): SecureContext {
  return createSecureContext({ minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) });
}

/**
 * Completes TLS 1.2 or higher on an open connection, with full verification against the name unless
 * the session is resumed.
 * @throws EgressError `tls`, `invalid_response` or `connection`
 */
export function secure(
  raw: Socket,
  { hostname, target, session, sessions, context }: Handshake,
  hold: HoldSocket,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: raw,
      // Used only to verify the certificate, not to connect.
      host: hostname,
      // RFC 6066: an address is not a valid server name.
      servername: isIP(hostname) === 0 ? hostname : '',
      ALPNProtocols: ['http/1.1'],
      secureContext: context,
      rejectUnauthorized: true,
      ...(session === undefined ? {} : { session: session.ticket }),
    });
    hold(socket);
    raw.once('error', (error) => reject(foldTlsError(error)));
    socket.once('error', (error) => reject(foldTlsError(error)));
    socket.on('error', () => undefined);
    socket.once('close', () => reject(new EgressError('connection')));
    let verified: Verification | undefined;
    let ticket: Buffer | undefined;
    const keep = (): void => {
      if (verified !== undefined && ticket !== undefined) {
        sessions.keep(target, { ...verified, ticket });
      }
    };
    socket.once('secureConnect', () => {
      verified = socket.isSessionReused()
        ? session
        : sessions.verify(socket.getPeerX509Certificate()?.validTo ?? '');
      keep();
      resolve(socket);
    });
    // TLS 1.2 sends a ticket before the handshake ends, TLS 1.3 sends some after it.
    socket.once('session', (received) => {
      ticket = received;
      keep();
    });
  });
}
