import { CommandFailure, EXIT } from '@paymount/cli';
import { shown } from './scan-name.ts';

/** A scan that could not be finished: nothing may be concluded from what it did not find. */
export class ScanError extends CommandFailure {
  override readonly name = 'ScanError';

  /** @param message may quote what others wrote */
  constructor(message: string, options?: ErrorOptions) {
    super(EXIT.usage, 'scan', shown(message), options);
  }
}
