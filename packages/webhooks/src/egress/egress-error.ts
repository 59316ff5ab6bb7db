import type { AttemptErrorCode } from '@paymount/core/events';
import { isError } from '@paymount/core/kernel';
import { errors } from 'undici';

/** The ways in which a send ends without a response. */
export type UnansweredCode = Exclude<AttemptErrorCode, 'redirect' | 'http_status'>;

/** `errorDetail` of a send: only from closed lists, so that no text of a network stack is shown. */
export type EgressDetail =
  | 'expired'
  | 'self_signed'
  | 'wrong_host'
  | 'protocol'
  | 'untrusted'
  | 'headers_too_large'
  | 'http2_only'
  | 'not_http'
  | 'invalid_status_line'
  | 'invalid_header'
  | 'conflicting_lengths'
  | 'switched_protocols'
  | 'malformed'
  | 'proxy_unavailable'
  | 'proxy_refused';

/** Why there is no response. Contains no address and no text of the network stack. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly code: UnansweredCode;
  readonly detail: EgressDetail | undefined;

  constructor(code: UnansweredCode, detail?: EgressDetail) {
    super(detail === undefined ? code : `${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
  }
}

const TLS_DETAILS: ReadonlyMap<string, EgressDetail> = new Map([
  ['CERT_HAS_EXPIRED', 'expired'],
  ['CERT_NOT_YET_VALID', 'expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self_signed'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'wrong_host'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'untrusted'],
]);

/**
 * Maps an error of a TLS handshake to a code. If the peer closes the connection, that is a
 * `connection` error, because it sent no TLS alert.
 */
export function foldTlsError(error: unknown): EgressError {
  const code = errorCode(error);
  const detail = TLS_DETAILS.get(code);
  if (detail !== undefined) return new EgressError('tls', detail);
  // The receiver supports only HTTP/2 or 3, according to ALPN.
  if (code.endsWith('NO_APPLICATION_PROTOCOL'))
    return new EgressError('invalid_response', 'http2_only');
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return new EgressError('tls', 'protocol');
  if (isSocketCode(code)) return new EgressError('connection');
  // The rest are errors of OpenSSL about the certificate: revoked, wrong purpose, bad signature.
  return new EgressError('tls', 'untrusted');
}

/**
 * Maps an error of an exchange on an open connection to a code.
 * @param fault why a response cannot be accepted
 */
export function foldExchangeError(error: unknown, fault: () => EgressDetail): EgressError {
  if (error instanceof EgressError) return error;
  const code = errorCode(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new EgressError('invalid_response', 'headers_too_large');
  }
  if (isMalformed(code, error)) return new EgressError('invalid_response', fault());
  if (code.startsWith('ERR_SSL_')) return new EgressError('tls', 'protocol');
  return new EgressError('connection');
}

function isMalformed(code: string, error: unknown): boolean {
  if (error instanceof errors.HTTPParserError || code === 'ERR_ASSERTION') return true;
  if (error instanceof errors.ResponseContentLengthMismatchError) return true;
  // For an unexpected 101, and for a response to no request, undici has no code, only these messages.
  const message = isError(error) ? error.message : '';
  return code === 'UND_ERR_SOCKET' && (message === 'bad response' || message === 'bad upgrade');
}

function isSocketCode(code: string): boolean {
  return code === '' || /^E[A-Z]+$/.test(code);
}

function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
