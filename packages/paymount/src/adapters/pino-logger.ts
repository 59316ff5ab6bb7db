import { isError, type Logger } from '@paymount/core/kernel';
import { type DestinationStream, pino } from 'pino';

interface PinoLoggerOptions {
  /** The lowest level that is written. @defaultValue `info` */
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** @defaultValue standard output */
  readonly destination?: DestinationStream;
}

/** A pino logger with one line of JSON each. It does not redact: `redactingLogger` does. */
export function pinoLogger(options: PinoLoggerOptions = {}): Logger {
  const { level = 'info', destination } = options;
  const settings = { level, base: { name: 'paymount' }, serializers: { err: describeError } };
  return destination === undefined ? pino(settings) : pino(settings, destination);
}

interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

/** pino's own serializer folds all causes into one message. */
function describeError(error: Error): DescribedError {
  const { name, message, stack, cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    type: name,
    message,
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack }),
    ...(isError(cause) ? { cause: describeError(cause) } : {}),
  };
}
