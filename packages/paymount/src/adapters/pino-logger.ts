import type { Logger } from '@paymount/core';
import { type DestinationStream, pino } from 'pino';

interface PinoLoggerOptions {
  /** The least level that is written. @defaultValue `info` */
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** @defaultValue standard output */
  readonly destination?: DestinationStream;
}

/** Names of facts that no line may carry; by these names a secret could slip in. */
const SECRET_NAMES = new Set([
  'authorization',
  'body',
  'cookie',
  'headers',
  'key',
  'parameters',
  'password',
  'payload',
  'secret',
  'signature',
  'token',
]);

const CENSORED = '[secret]';

/** Credentials and signing secrets inside a text, such as an error's message. */
const SECRET_TEXT =
  /\b(?:(?:sk|rk|pk)_(?:live|test)_|(?:oat|ort|oac|ocs)_|whsec_)[0-9A-Za-z+/]{20,}={0,2}/g;

/**
 * pino on one line of JSON each. Callers list their facts; the redaction here is the second net,
 * for what should never have come so far.
 */
export function pinoLogger(options: PinoLoggerOptions = {}): Logger {
  const { level = 'info', destination } = options;
  const settings = {
    level,
    base: { name: 'paymount' },
    serializers: { err: describeError },
    formatters: { log: redact },
  };
  return destination === undefined ? pino(settings) : pino(settings, destination);
}

/** pino's own `redact` costs six times as much as the rest of a line. */
function redact(facts: Record<string, unknown>): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(facts)) {
    const value = facts[name];
    if (SECRET_NAMES.has(name)) shown[name] = CENSORED;
    else shown[name] = typeof value === 'string' ? scrub(value) : value;
  }
  return shown;
}

interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

const MAX_CAUSES = 5;

/** Listed fields only: a driver's error carries the values of the statement that failed. */
function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: scrub(String(error)) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    type: error.name,
    message: scrub(error.message),
    ...(code === undefined ? {} : { code }),
    ...(error.stack === undefined ? {} : { stack: scrub(error.stack) }),
    ...(error.cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}

function scrub(text: string): string {
  return text.replace(SECRET_TEXT, CENSORED);
}
