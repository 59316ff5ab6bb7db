import type { Mail } from './mail.ts';

/** What a mail says, before it has a form: paragraphs, and lists of lines. */
export interface Letter {
  readonly subject: string;
  readonly parts: readonly (string | readonly string[])[];
}

/**
 * Gives a letter both forms: plain text, and HTML in which nothing that it says is markup.
 * @returns the subject in one line, whatever the letter's holds
 */
export function composeMail({ subject, parts }: Letter): Pick<Mail, 'subject' | 'text' | 'html'> {
  const body = parts.map((part) =>
    typeof part === 'string' ? `<p>${escapeHtml(part)}</p>` : htmlListOf(part),
  );
  return {
    subject: inOneLine(subject),
    text: `${parts.map(textOf).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en">\n<body>\n${body.join('\n')}\n</body>\n</html>\n`,
  };
}

function textOf(part: string | readonly string[]): string {
  return typeof part === 'string' ? part : part.map((line) => `- ${inOneLine(line)}`).join('\n');
}

function htmlListOf(lines: readonly string[]): string {
  return `<ul>\n${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('\n')}\n</ul>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** A header ends where its line ends: whoever can write a line break can write a header. */
function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}
