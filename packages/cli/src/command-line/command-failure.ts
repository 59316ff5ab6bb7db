import { types } from 'node:util';

/** Every command ends with one of these. */
export const EXIT = {
  done: 0,
  /** The command ran, and was refused or found a problem. */
  failed: 1,
  /** The command line or the settings are wrong; nothing was tried. */
  usage: 2,
} as const;

/**
 * The error of a command. The message says what was found and what to do; it never contains a key.
 */
export class CommandFailure extends Error {
  override readonly name: string = 'CommandFailure';
  readonly exitCode: 1 | 2;
  /** An error code of the API if the API refused, otherwise a code of the command. */
  readonly code: string;

  constructor(exitCode: 1 | 2, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** The command line or the settings are wrong, and nothing was tried; the message says what to do. */
export function usage(message: string, options?: ErrorOptions): CommandFailure {
  return new CommandFailure(EXIT.usage, 'usage', message, options);
}

/** The message and the exit code of a failed command. */
export interface Failure {
  readonly exitCode: number;
  readonly code: string;
  readonly message: string;
}

/** A failed command as it is reported: with the code of the error, or of the system, or `failed`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof CommandFailure) {
    return { exitCode: error.exitCode, code: error.code, message: error.message };
  }
  // Under jest, Node's own errors are not instances of the global `Error`.
  if (!(types.isNativeError(error) || error instanceof Error)) {
    return { exitCode: EXIT.failed, code: 'failed', message: String(error) };
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'failed';
  return { exitCode: EXIT.failed, code, message: error.message };
}
