import { renderParts } from './compose-mail.ts';
import type { Mail } from './mail.ts';
import type { ClaimedMail } from './mail-repository.ts';

/**
 * A mail as it is sent: with the name of its account, and a link to the page of the dashboard that
 * it is about.
 * @param dashboardUrl the public URL of the dashboard, without a slash at its end; absent: no link
 */
export function finishMail(mail: ClaimedMail, dashboardUrl?: string): Mail {
  const { attempt: _, accountName, ...written } = mail;
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

function withParagraphs(html: string, more: string): string {
  const end = html.lastIndexOf('</body>');
  return end < 0 ? html : `${html.slice(0, end)}${more}\n${html.slice(end)}`;
}
