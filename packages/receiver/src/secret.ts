import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** Standard base64 of exactly 32 bytes: 43 characters and one `=`. */
const PATTERN = /^whsec_[A-Za-z0-9+/]{43}=$/;

/**
 * Makes a signing secret for one endpoint: `whsec_` and the standard base64 of 32 random bytes.
 * That form is the one that the Standard Webhooks libraries decode.
 */
export function createSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** Says whether the value has the form that {@link createSigningSecret} gives. */
export function isSigningSecret(value: unknown): value is string {
  return typeof value === 'string' && PATTERN.test(value);
}

/**
 * The 32 bytes that a signing secret encodes: the key of `webhook-signature`.
 * (The key of `Service-Signature` is the whole string instead, as the specification's receivers
 * use the secret they were shown.)
 */
export function decodeSigningSecret(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}
