import { KeyProviderError } from '@paymount/auth';
import { CommandFailure, EXIT, type Failure, toFailure } from '@paymount/cli';
import {
  type ErrorCode,
  errorFacts,
  isError,
  PaymountError,
  SchemaError,
} from '@paymount/core/kernel';
import { DatabaseError, describeNoConnection } from '../options/postgres-storage.ts';

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);

/** What to do on a command line, for errors whose table entry mentions parameters. */
const CURES: Partial<Record<ErrorCode, string>> = {
  ip_list_excludes_used_addresses:
    'Add them with --allow-ip, or pass --confirm-lockout to confirm.',
};

/** The command-line names of parameters. */
const FLAGS: Readonly<Record<string, string>> = {
  allowed_ips: '--allow-ip',
  starting_after: '--after',
  processor_reference: '--reference',
  amount: '--amount',
  currency: '--currency',
  reason: '--reason',
  note: '--note',
};

/** Codes of parameters that were refused before anything was read. */
const WRONG_INPUT = new Set<ErrorCode>([
  'amount_too_small',
  'amount_too_large',
  'invalid_currency',
]);

/** Never repeats settings: a connection string contains a password. */
export function describeFailure(error: unknown): Failure {
  if (PaymountError.is(error)) {
    if (KeyProviderError.is(error.cause)) {
      return { exitCode: EXIT.failed, code: error.code, message: error.cause.message };
    }
    if (error.code === 'unavailable') return unreachable(error.cause);
    const message = [withFlagName(error), ...findCures(error), ...findCauses(error)].join(' ');
    return { exitCode: isWrongInput(error) ? EXIT.usage : EXIT.failed, code: error.code, message };
  }
  if (error instanceof DatabaseError) {
    return { exitCode: EXIT.failed, code: 'unavailable', message: error.message };
  }
  if (SchemaError.is(error)) {
    return { exitCode: EXIT.failed, code: 'schema', message: error.message };
  }
  const failure = toFailure(error);
  if (error instanceof CommandFailure) return failure;
  return UNREACHABLE.has(failure.code) ? unreachable(error) : failure;
}

function isWrongInput({ code }: PaymountError): boolean {
  return code.startsWith('parameter_') || WRONG_INPUT.has(code);
}

/** Replaces the parameter with the flag: `allowed_ips[1]` is the second `--allow-ip`. */
function withFlagName({ message, param = '' }: PaymountError): string {
  const [, name = '', index = '0'] = /^(\w+)(?:\[(\d+)\])?$/.exec(param) ?? [];
  const flag = FLAGS[name];
  if (flag === undefined || !message.startsWith(`${param} `)) return message;
  const which = index === '0' ? flag : `${flag} number ${Number(index) + 1}`;
  return which + message.slice(param.length);
}

/** The table's text is about requests; an error with its own message already says what to do. */
function findCures({ code, message }: PaymountError): readonly string[] {
  const { meaning, cure } = errorFacts(code);
  return [CURES[code] ?? (message === meaning ? cure : [])].flat();
}

/** The adapter's own words, which the API keeps to itself: only they say what is wrong with a file. */
function findCauses({ code, cause }: PaymountError): readonly string[] {
  return code === 'notice_refused' && isError(cause) ? [cause.message] : [];
}

function unreachable(cause: unknown): Failure {
  const { message } = describeNoConnection(cause);
  return { exitCode: EXIT.failed, code: 'unavailable', message };
}
