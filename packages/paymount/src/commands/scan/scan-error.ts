import { CommandFailure, EXIT } from '@paymount/cli';
import { shown } from './scan-name.ts';

/** A scan that could not be finished, so "nothing found" would mean nothing. */
export class ScanError extends CommandFailure {
  override readonly name = 'ScanError';

  /** @param message may quote foreign text */
  constructor(message: string, options?: ErrorOptions) {
    super(EXIT.usage, 'scan', shown(message), options);
  }
}
