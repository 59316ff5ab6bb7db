import { KeyProviderError } from '@paymount/auth';
import { CommandFailure } from '@paymount/cli';
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
const ADDRESS_FORM = 'postgres://user:password@host/database';
const NO_HOST = `The host that the database's address names is not found`;
const NO_LOGIN = 'The database refuses the user or the password';
/** Why no connection came about, where more is known than that. */
const REASONS: Readonly<Record<string, (code: string) => string>> = {
  ENOTFOUND: (code) => `${NO_HOST} (${code}). Is the address of the form ${ADDRESS_FORM}?`,
  EAI_AGAIN: (code) => `${NO_HOST} (${code}). Is the address of the form ${ADDRESS_FORM}?`,
  // What PostgreSQL itself says (Appendix A of its manual).
  '3D000': (code) =>
    `The server has no database of that name (${code}). Create it, or correct the address.`,
  '28P01': (code) => `${NO_LOGIN} (${code}). Correct the address.`,
  '28000': (code) => `${NO_LOGIN} (${code}). Correct the address.`,
};
/** Each has a digit; EPERM and EPIPE have none. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** What to do about it on a command line, where the table speaks of parameters. */
const CURES: Partial<Record<ErrorCode, string>> = {
  ip_list_excludes_used_addresses:
    'Add them with --allow-ip, or pass --confirm-lockout when you mean it.',
};

/** What a parameter is called on a command line. */
const FLAGS: Readonly<Record<string, string>> = {
  allowed_ips: '--allow-ip',
  starting_after: '--after',
  processor_reference: '--reference',
  amount: '--amount',
  reason: '--reason',
};

/** Never echoes settings: a connection string holds a password. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof UsageError) {
    return { exitCode: EXIT.usage, code: 'usage', message: error.message };
  }
  if (error instanceof CommandFailure) {
    return { exitCode: error.exitCode, code: error.code, message: error.message };
  }
  if (error instanceof ScanError) {
    return { exitCode: EXIT.usage, code: 'scan', message: error.message };
  }
  if (PaymountError.is(error)) {
    if (KeyProviderError.is(error.cause)) {
      return { exitCode: EXIT.failed, code: error.code, message: error.cause.message };
    }
    if (error.code === 'unavailable') return unreachable(error.cause);
    const message = [messageOf(error), ...cureOf(error)].join(' ');
    const exitCode = error.code.startsWith('parameter_') ? EXIT.usage : EXIT.failed;
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

/** With the flag in place of the parameter: `--allow-ip`, or the second one, for `allowed_ips[1]`. */
function messageOf({ message, param = '' }: PaymountError): string {
  const [, name = '', index = '0'] = /^(\w+)(?:\[(\d+)\])?$/.exec(param) ?? [];
  const flag = FLAGS[name];
  if (flag === undefined || !message.startsWith(`${param} `)) return message;
  const which = index === '0' ? flag : `${flag} number ${Number(index) + 1}`;
  return which + message.slice(param.length);
}

/** That of the table speaks of requests; a message of its own says what to do. */
function cureOf({ code, message }: PaymountError): readonly string[] {
  const { meaning, cure } = errorFacts(code);
  return [CURES[code] ?? (message === meaning ? cure : [])].flat();
}

function unreachable(cause: unknown): Failure {
  return { exitCode: EXIT.failed, code: 'unavailable', message: reasonOf(codeOf(cause)) };
}

function reasonOf(code = 'no answer'): string {
  const known = REASONS[code];
  if (known !== undefined) return known(code);
  if (SQLSTATE.test(code)) return `The database refuses to work (${code}). Its log says why.`;
  return `The database cannot be reached (${code}). Is it running, and is its address right?`;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
