/** A scan that could not be finished: nothing may be concluded from what it did not find. */
export class ScanError extends Error {
  override readonly name = 'ScanError';
}
