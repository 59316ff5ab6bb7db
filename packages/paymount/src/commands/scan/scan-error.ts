import { shown } from './scan-name.ts';

/** A scan that could not be finished: nothing may be concluded from what it did not find. */
export class ScanError extends Error {
  override readonly name = 'ScanError';

  /** @param message may quote what others wrote */
  constructor(message: string, options?: ErrorOptions) {
    super(shown(message), options);
  }
}
