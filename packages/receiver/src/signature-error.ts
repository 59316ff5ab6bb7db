import { types } from 'node:util';

const NAME = 'SignatureError';

/** The reasons for refusing a delivery, each with a sentence that explains it. */
export const SIGNATURE_ERROR_MEANINGS = {
  header_missing: 'The request has no Service-Signature header.',
  header_malformed: 'The Service-Signature header has the wrong form.',
  body_not_raw: 'The body was parsed before its signature could be verified.',
  secret_malformed: 'The signing secret of this receiver has the wrong form.',
  timestamp_outside_tolerance: 'The signature was made too long ago, or in the future.',
  signature_mismatch: 'No secret of this receiver gives this signature for this body.',
  body_not_event: 'The body is signed but is not an event.',
} as const;

/** One code for each reason. */
export type SignatureErrorCode = keyof typeof SIGNATURE_ERROR_MEANINGS;

/**
 * A delivery that must not be trusted. The message says what is wrong and what to do. It is meant
 * for the receiver's own log and must not be sent back, because it may contain the last four
 * characters of a secret.
 */
export class SignatureError extends Error {
  override readonly name = NAME;
  readonly code: SignatureErrorCode;

  constructor(code: SignatureErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  /**
   * Compares the name, so that it works across copies of the package (CommonJS beside ES modules).
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return types.isNativeError(value) && value.name === NAME && 'code' in value;
  }
}
