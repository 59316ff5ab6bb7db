import type { Logger } from '@paymount/core/kernel';

/**
 * Whether a mount refuses what did not come over TLS: unless it says `requireTls: false`, which the
 * log then tells.
 */
export function requiresTls(
  { requireTls = true }: { readonly requireTls?: boolean },
  logger: Logger,
): boolean {
  if (!requireTls) {
    logger.warn(
      { cure: 'docs/how-to/serve-over-tls.md' },
      'A mount has `requireTls: false`: it accepts credentials that were sent unencrypted.',
    );
  }
  return requireTls;
}
