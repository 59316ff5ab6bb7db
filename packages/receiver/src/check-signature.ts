import { timingSafeEqual } from 'node:crypto';
import { hmac } from './sign-delivery.ts';
import { parseSignatureHeader } from './signature-header.ts';

/** Seconds that a delivery's timestamp may differ from the receiver's clock, either way. */
export const DEFAULT_TOLERANCE_SECONDS = 300;

/** The input of {@link checkSignature}. */
export interface SignatureToCheck {
  /** The bytes as received; a string stands for its UTF-8 bytes. */
  readonly body: Uint8Array | string;
  /** The value of `Service-Signature`. */
  readonly header: string;
  /** The secrets that may have signed it, one or more. */
  readonly secrets: readonly string[];
  /** Unix seconds, whole. */
  readonly nowSeconds: number;
  /** @defaultValue 300 */
  readonly toleranceSeconds?: number;
}

/** The first problem of a delivery, or 'valid'. */
export type SignatureVerdict = 'valid' | 'malformed' | 'stale' | 'mismatch';

/**
 * Checks the signature of one delivery (specification: Events, Signature). Every secret is compared
 * with every digest in constant time, without stopping at a match.
 * @returns 'valid', or the first problem; 'stale' means too far in the past or the future; never
 *   throws
 */
export function checkSignature(signature: SignatureToCheck): SignatureVerdict {
  const { body, header, secrets, nowSeconds } = signature;
  const toleranceSeconds = signature.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS;
  const parsed = parseSignatureHeader(header);
  if (parsed.form === 'malformed') return 'malformed';
  const distance = Math.abs(nowSeconds - Number(parsed.timestamp));
  // Written so that NaN is refused instead of accepting every age.
  if (!(distance <= toleranceSeconds)) return 'stale';
  let matches = 0;
  for (const secret of secrets) {
    const expected = hmac(secret, `${parsed.timestamp}.`, body);
    for (const digest of parsed.digests) matches += Number(timingSafeEqual(expected, digest));
  }
  return matches > 0 ? 'valid' : 'mismatch';
}
