const MAX_LENGTH = 500;

/**
 * Makes a foreign text safe for a terminal: one line of bounded length without control characters.
 */
export function plainText(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH)}...` : plain;
}

/** Describes a connection error; never with the address, which may contain private data. */
export function describeConnectionError(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  if (error.message === '' && error instanceof AggregateError)
    return describeConnectionError(error.errors[0]);
  const code = systemErrorCode(error) ?? '';
  return REASONS[code] ?? plainText(code === '' ? error.message : `${error.message} (${code})`);
}

/** The system's error code, such as ENOENT. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
  ECONNRESET: 'the connection was reset (ECONNRESET)',
  ENOTFOUND: 'there is no such host (ENOTFOUND)',
};
