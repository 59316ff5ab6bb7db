import { createHash, timingSafeEqual } from 'node:crypto';

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/**
 * Compares the verifier of a token request with the challenge of the authorization request
 * (RFC 7636, section 4.6). A verifier without a challenge is wrong too: the request may have been
 * made by somebody who removed it (RFC 9700, section 2.1.1).
 */
export function isCodeVerifier(
  verifier: string | undefined,
  challenge: string | undefined,
): boolean {
  if (challenge === undefined) return verifier === undefined;
  if (verifier === undefined || !VERIFIER.test(verifier)) return false;
  const digest = createHash('sha256').update(verifier).digest('base64url');
  return timingSafeEqual(Buffer.from(digest), Buffer.from(challenge));
}
