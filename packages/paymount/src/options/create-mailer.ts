import type { Mailer } from '@paymount/core/changes';
import { EmailInput } from '@paymount/core/kernel';
import type { PaymountOptions } from './options.ts';

/**
 * The mailer that the options describe; SMTP is loaded only when they name it.
 * @returns undefined when they name none, or leave it out by name: mails wait
 * @throws Error when an option is wrong, which says what to do
 */
export async function createMailer({
  mail = {},
  mailer,
}: Pick<PaymountOptions, 'mail' | 'mailer'>): Promise<Mailer | undefined> {
  const { smtp, from, operator, dashboardUrl } = mail;
  if (operator !== undefined && !EmailInput.safeParse(operator).success) {
    throw new Error('`mail.operator` must be one e-mail address, and nothing else.');
  }
  if (dashboardUrl !== undefined && !isPage(dashboardUrl)) {
    throw new Error(
      '`mail.dashboardUrl` must be the http or https address of your dashboard, without ? and #.',
    );
  }
  if (smtp === undefined) return mailer || undefined;
  if (mailer !== undefined) throw new Error('Pass `mailer` or `mail.smtp`, not both.');
  if (from === undefined) throw new Error('`mail.smtp` needs `mail.from`, the sender.');
  const { createSmtpMailer } = await import('../adapters/smtp-mailer.ts');
  return createSmtpMailer({ smtp, from });
}

/** An address to which a path can be appended. */
function isPage(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && search + hash + username === '';
}
