import type { Logger } from '@paymount/core/kernel';

/** Keeps what was logged. */
export function keptLog(): Logger & { readonly lines: { level: string; text: string }[] } {
  const lines: { level: string; text: string }[] = [];
  const keep =
    (level: string) =>
    (facts: object, message: string): void => {
      lines.push({ level, text: `${message} ${JSON.stringify(facts)}` });
    };
  return {
    lines,
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
}
