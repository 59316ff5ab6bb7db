import { escapeHtml } from '../../changes/mails/compose-mail.ts';
import { LINK_MARK, type Mail, type MailLink } from '../../changes/mails/mail.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { type InvoiceId, newId } from '../../kernel/basics/id.ts';
import { toOneLine } from '../../kernel/input/one-line.ts';
import type { Addressee } from './addressee.ts';
import type { CustomerMailSettings } from './customer-mail-settings.ts';

/** What a mail to a customer says, without its form. */
export interface CustomerMail {
  /** One e-mail is written for each. */
  readonly dedupeKey: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** A text of the merchant, in lines. */
  readonly note?: string;
  /** The invoice that it links to, and what the link says. */
  readonly link?: {
    readonly invoice: InvoiceId;
    readonly label: string;
    /** What follows its address. @defaultValue nothing: its page */
    readonly path?: '/receipt';
  };
  /** In the time that everybody shares, in which it is sent. */
  readonly created: Date;
}

/** Makes both forms of a mail, in which everything is escaped, and names in it stay on one line. */
export function composeCustomerMail(
  mail: CustomerMail,
  { accountId, environment }: Owner,
  { to, customerId, language: { language, texts } }: Addressee,
  settings: CustomerMailSettings,
): Mail {
  const { dedupeKey, created, subject } = mail;
  const badge = environment === 'test' ? [texts.testMode] : [];
  const paragraphs = [...badge, ...mail.paragraphs].map(toOneLine);
  const facts = mail.facts.map(({ label, value }) => `${label}: ${toOneLine(value)}`);
  const notes = mail.note === undefined ? [] : mail.note.split('\n').map(toOneLine);
  const blocks = [paragraphs.join('\n\n'), facts.map((fact) => `- ${fact}`).join('\n')];
  const text = [...blocks, notes.join('\n')].filter((block) => block !== '').join('\n\n');
  return {
    id: newId('mail'),
    dedupeKey,
    accountId,
    customerId,
    to,
    subject: toOneLine(subject),
    text: `${text}\n`,
    html: renderHtml({ language, paragraphs, facts, notes }, settings),
    ...(mail.link && { link: { environment, ...renderLink(mail.link, settings) } }),
    created,
  };
}

function renderLink(
  { invoice, label, path }: NonNullable<CustomerMail['link']>,
  { looks: { colors } }: CustomerMailSettings,
): Omit<MailLink, 'environment'> {
  const style = `background:${colors.accent};border-radius:8px;color:${colors.accentText};display:inline-block;font-weight:600;padding:12px 20px;text-decoration:none`;
  return {
    invoice,
    text: `${label}: {url}${path ?? ''}`,
    html: `<p><a href="{url}${path ?? ''}" style="${style}">${escapeHtml(label)}</a></p>`,
  };
}

function renderHtml(
  content: {
    readonly language: string;
    readonly paragraphs: readonly string[];
    readonly facts: readonly string[];
    readonly notes: readonly string[];
  },
  { looks: { name, colors } }: CustomerMailSettings,
): string {
  const { language, paragraphs, facts, notes } = content;
  const style = `background:${colors.background};color:${colors.text};font:16px/1.5 sans-serif;margin:0 auto;max-width:600px;padding:24px`;
  const items = facts.map((fact) => `<li>${escapeHtml(fact)}</li>`).join('\n');
  return [
    '<!doctype html>',
    `<html lang="${escapeHtml(language)}">`,
    `<body style="${style}">`,
    ...(name === undefined ? [] : [`<p><strong>${escapeHtml(name)}</strong></p>`]),
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...(items === '' ? [] : [`<ul>\n${items}\n</ul>`]),
    LINK_MARK,
    ...(notes.length === 0 ? [] : [`<p>${notes.map(escapeHtml).join('<br>\n')}</p>`]),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
