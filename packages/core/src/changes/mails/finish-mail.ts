import type { Owner } from '../../kernel/basics/environment.ts';
import type { InvoiceId } from '../../kernel/basics/id.ts';
import { renderParts } from './compose-mail.ts';
import { LINK_MARK, type Mail, type MailLink } from './mail.ts';
import type { ClaimedMail } from './mail-repository.ts';

/** What mails link to. */
export interface LinkTargets {
  /** The public URL of the dashboard, without a slash at its end. @defaultValue no links */
  readonly dashboardUrl?: string | undefined;
  /** Where a customer sees an invoice. @returns undefined: nowhere */
  readonly pageOfInvoice: (of: InvoiceOfMail) => string | undefined;
}

interface InvoiceOfMail extends Owner {
  readonly id: InvoiceId;
}

/**
 * A mail as it is sent: with the name of its account, and a link to the page of the dashboard that
 * it is about. A mail to a customer gets the link to the invoice instead.
 */
export function finishMail(mail: ClaimedMail, targets: LinkTargets): Mail {
  const { attempt: _, accountName, link, ...written } = mail;
  if (link !== undefined) return linked(written, link, targets);
  // To a customer, who knows the account as the seller.
  if (written.html.includes(LINK_MARK)) return written;
  const { dashboardUrl } = targets;
  const parts = [
    ...(accountName === undefined ? [] : [`Account name: ${accountName}`]),
    ...(dashboardUrl === undefined || mail.page === undefined
      ? []
      : [`Open it in the dashboard: ${dashboardUrl}/${mail.page}`]),
  ];
  if (parts.length === 0) return written;
  const { text, html } = renderParts(parts);
  return { ...written, text: `${mail.text}\n${text}`, html: withParagraphs(mail.html, html) };
}

function linked(
  mail: Mail,
  { environment, invoice, text, html }: MailLink,
  { pageOfInvoice }: LinkTargets,
): Mail {
  const { accountId } = mail;
  const url = accountId && pageOfInvoice({ accountId, environment, id: invoice });
  if (url === undefined) return mail;
  return {
    ...mail,
    text: `${mail.text}\n${text.replace('{url}', () => url)}\n`,
    html: mail.html.replace(LINK_MARK, () => html.replace('{url}', () => url)),
  };
}

function withParagraphs(html: string, more: string): string {
  const end = html.lastIndexOf('</body>');
  return end < 0 ? html : `${html.slice(0, end)}${more}\n${html.slice(end)}`;
}
