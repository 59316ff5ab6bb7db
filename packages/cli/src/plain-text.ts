const MAX_LENGTH = 500;

/** A text from elsewhere as a terminal may show it: one line, of bounded length, that moves no cursor. */
export function plainText(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH)}...` : plain;
}

/** What went wrong with a connection, in words; never the address, which may hold what is private. */
export function describeConnectionError(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  if (error.message === '' && error instanceof AggregateError)
    return describeConnectionError(error.errors[0]);
  const code = systemErrorCode(error) ?? '';
  return REASONS[code] ?? plainText(code === '' ? error.message : `${error.message} (${code})`);
}

/** The system's word for what went wrong, such as ENOENT. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
  ECONNRESET: 'the connection was reset (ECONNRESET)',
  ENOTFOUND: 'there is no such host (ENOTFOUND)',
};
