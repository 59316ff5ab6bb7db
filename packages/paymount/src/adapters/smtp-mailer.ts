import type { Mailer } from '@paymount/core/changes';
import { EmailInput } from '@paymount/core/kernel';
import { createTransport, type SMTPTransportOptions } from 'nodemailer';

/** The settings of SMTP. */
export interface SmtpSettings {
  /** `smtps://user:password@host`, or nodemailer's own options. */
  readonly smtp: string | SMTPTransportOptions;
  /** `Payments <payments@example.com>`, or the address alone. */
  readonly from: string;
}

/** A server that no longer answers delays a mail by at most this time. */
const LIMITS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
} as const;

const SENDER = /^(?:[^<>\p{Cc}]*<([^<>]+)>|([^<>]+))$/u;

/**
 * Sends mails by SMTP, each on its own connection.
 * @throws Error if a setting is wrong; the message contains no password
 */
export function createSmtpMailer({ smtp, from }: SmtpSettings): Mailer {
  const [, named, bare] = SENDER.exec(from.trim()) ?? [];
  const sender = (named ?? bare ?? '').trim();
  if (!isAddress(sender)) throw new Error('`mail.from` must be an address, or Name <address>.');
  const domain = sender.slice(sender.lastIndexOf('@') + 1);
  const transport = createTransport({ ...LIMITS, ...toTransport(smtp), pool: false });
  return {
    async send({ id, to, subject, text, html, created }) {
      if (!isAddress(to)) throw new Error('The mail has no valid recipient.');
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        envelope: { from: sender, to: [to] },
        subject,
        text,
        html,
        date: created,
        messageId: `<${id}@${domain}>`,
        // So that absence notes are not sent back (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    },
  };
}

/** One address, without characters that have a meaning in a header or an SMTP command. */
function isAddress(text: string): boolean {
  return EmailInput.safeParse(text).success;
}

function toTransport(smtp: SmtpSettings['smtp']): SMTPTransportOptions {
  if (typeof smtp !== 'string') return smtp;
  if (!/^smtps?:\/\/[^/]+/.test(smtp) || !URL.canParse(smtp)) {
    throw new Error('`mail.smtp` must begin with smtp:// or smtps:// and name a host.');
  }
  return { url: smtp };
}
