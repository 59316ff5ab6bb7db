import type { Mail } from './mail.ts';

/** What a mail says, before it has a form: paragraphs, and lists of lines. */
export interface Letter {
  readonly subject: string;
  readonly parts: readonly (string | readonly string[])[];
}

/**
 * Gives a letter both forms: plain text, and HTML in which nothing that it says is markup.
 * @returns the subject, and each paragraph and line, in one line, whatever the names in it hold
 */
export function composeMail({ subject, parts }: Letter): Pick<Mail, 'subject' | 'text' | 'html'> {
  const inLines = parts.map((part) =>
    typeof part === 'string' ? inOneLine(part) : part.map(inOneLine),
  );
  return {
    subject: inOneLine(subject),
    text: `${inLines.map(textOf).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en">\n<body>\n${inLines.map(htmlOf).join('\n')}\n</body>\n</html>\n`,
  };
}

function textOf(part: string | readonly string[]): string {
  return typeof part === 'string' ? part : part.map((line) => `- ${line}`).join('\n');
}

function htmlOf(part: string | readonly string[]): string {
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/**
 * Whoever can write a line break can write a header, or a paragraph that we seem to have written;
 * and who can turn the direction of the text can make a line read as another.
 */
function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').trim();
}
