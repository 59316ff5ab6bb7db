/** Options for `https.createServer`. */
export interface TlsServerOptions {
  readonly minVersion: 'TLSv1.2';
  readonly ciphers: string;
  /** Milliseconds. */
  readonly handshakeTimeout: number;
}

/** Each has forward secrecy and authenticates what it encrypts; the first three are TLS 1.3's. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];
/** Node's default is two minutes, on a socket that costs the other side nothing. */
const HANDSHAKE_LIMIT_MS = 10_000;

/**
 * Settings of the host's own TLS server (specification: Authentication, transport): TLS 1.2 or
 * later and strong ciphers. They are explicit because `--tls-min-v1.0` and `--tls-cipher-list`
 * lower Node's defaults for the whole process.
 */
export function tlsServerOptions(): TlsServerOptions {
  return {
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS.join(':'),
    handshakeTimeout: HANDSHAKE_LIMIT_MS,
  };
}
