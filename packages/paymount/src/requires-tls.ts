import type { Logger } from '@paymount/core';

/**
 * Whether a mount refuses what did not come over TLS: unless it says `requireTls: false`, which the
 * log then tells.
 * @throws TypeError for anything but true, false and undefined, which JavaScript would not notice
 */
export function requiresTls(
  { requireTls = true }: { readonly requireTls?: boolean },
  logger: Logger,
): boolean {
  if (typeof requireTls !== 'boolean') {
    throw new TypeError('The option `requireTls` is true or false.');
  }
  if (!requireTls) {
    logger.warn(
      { cure: 'docs/how-to/serve-over-tls.md' },
      'A mount has `requireTls: false`: it takes credentials that crossed the network in the clear.',
    );
  }
  return requireTls;
}
