import type { Logger } from '@paymount/core/kernel';

/**
 * Whether a mount refuses requests without TLS: yes, unless it has `requireTls: false`, which is
 * logged.
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
