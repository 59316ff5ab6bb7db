import { KeyProviderError } from '@paymount/auth';
import { type ErrorCode, errorFacts, PaymountError } from '@paymount/core';
import { SchemaError } from '@paymount/storage-postgres';
import { ScanError } from './scan-error.ts';
import { EXIT, UsageError } from './terminal.ts';

/** What is said of a failed command, and how it ends. */
export interface Failure {
  readonly exitCode: number;
  readonly code: string;
  readonly message: string;
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);

/** What to do about it on a command line, where the table speaks of parameters. */
const CURES: Partial<Record<ErrorCode, string>> = {
  ip_list_excludes_used_addresses:
    'Add them with --allow-ip, or pass --confirm-lockout when you mean it.',
};

/** Never echoes settings: a connection string holds a password. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof UsageError) {
    return { exitCode: EXIT.usage, code: 'usage', message: error.message };
  }
  if (error instanceof ScanError) {
    return { exitCode: EXIT.usage, code: 'scan', message: error.message };
  }
  if (PaymountError.is(error)) {
    if (KeyProviderError.is(error.cause)) {
      return { exitCode: EXIT.failed, code: error.code, message: error.cause.message };
    }
    if (error.code === 'unavailable') return unreachable(error.cause);
    const message = `${error.message} ${CURES[error.code] ?? errorFacts(error.code).cure}`;
    const exitCode = error.code === 'parameter_invalid' ? EXIT.usage : EXIT.failed;
    return { exitCode, code: error.code, message };
  }
  if (error instanceof SchemaError) {
    return { exitCode: EXIT.failed, code: 'schema', message: error.message };
  }
  const code = codeOf(error);
  if (code !== undefined && UNREACHABLE.has(code)) return unreachable(error);
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: EXIT.failed, code: code ?? 'failed', message };
}

function unreachable(cause: unknown): Failure {
  const reason = codeOf(cause) ?? 'no answer';
  const message = `The database cannot be reached (${reason}). Is it running, and is its address right?`;
  return { exitCode: EXIT.failed, code: 'unavailable', message };
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
