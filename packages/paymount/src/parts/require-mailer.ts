import type { Parts } from './parts.ts';

/**
 * Paymount notifies owners of leaks by e-mail: without it, nobody would learn of them.
 * @throws Error for options without a mailer, unless they have `mailer: false`, which is logged
 */
export function requireMailer({
  mailer,
  options,
  logger,
}: Pick<Parts, 'mailer' | 'options' | 'logger'>): void {
  if (mailer !== undefined) return;
  if (options.mailer !== false) {
    throw new Error(
      'Live needs a mailer: pass `mail.smtp`, a `mailer` of your own, or `mailer: false` to write ' +
        'to nobody.',
    );
  }
  logger.warn(
    { cure: 'docs/how-to/respond-to-a-leak.md' },
    'Live has `mailer: false`: no e-mail is sent, about leaked keys or anything else.',
  );
}
