import { toOneLine } from '../../kernel/input/one-line.ts';
import type { Mail } from './mail.ts';

/** The content of a mail without its form: paragraphs, and lists of lines. */
export interface MailContent {
  readonly subject: string;
  readonly parts: readonly (string | readonly string[])[];
}

/**
 * Makes both forms of a mail: plain text, and HTML in which the content is escaped.
 * @returns the subject, and each paragraph and line on one line, even if the names in it contain
 *   line breaks
 */
export function composeMail({
  subject,
  parts,
}: MailContent): Pick<Mail, 'subject' | 'text' | 'html'> {
  const { text, html } = renderParts(parts);
  return {
    subject: toOneLine(subject),
    text,
    html: `<!doctype html>\n<html lang="en">\n<body>\n${html}\n</body>\n</html>\n`,
  };
}

/** Both forms of some parts, which may follow others. */
export function renderParts(parts: MailContent['parts']): Pick<Mail, 'text' | 'html'> {
  const inLines = parts.map((part) =>
    typeof part === 'string' ? toOneLine(part) : part.map(toOneLine),
  );
  return {
    text: `${inLines.map(renderText).join('\n\n')}\n`,
    html: inLines.map(renderHtml).join('\n'),
  };
}

function renderText(part: string | readonly string[]): string {
  return typeof part === 'string' ? part : part.map((line) => `- ${line}`).join('\n');
}

function renderHtml(part: string | readonly string[]): string {
  if (typeof part === 'string') return `<p>${escapeHtml(part)}</p>`;
  return `<ul>\n${part.map((line) => `<li>${escapeHtml(line)}</li>`).join('\n')}\n</ul>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text for markup. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
