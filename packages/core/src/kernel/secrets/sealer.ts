import type { Environment } from '../basics/environment.ts';
import { isError } from '../errors/is-error.ts';

/** A sealed secret. */
export interface Sealed {
  /** A compact JWE. */
  readonly sealed: string;
  /** The id of the key that sealed it. */
  readonly kid: string;
}

/** Encrypts secrets that must be read back. */
export interface Sealer {
  /**
   * @param plain the secret
   * @param context `table.column:rowId`; opening requires the same context, so that a ciphertext
   *   copied to another row cannot be opened
   * @param environment the environment of the secret; absent if it serves both
   * @throws PaymountError `unavailable` if the keys cannot be reached right now;
   *   `sealing_keys_missing` for live if the keys were generated for test
   */
  seal(plain: string, context: string, environment?: Environment): Promise<Sealed>;
  /**
   * @throws PaymountError `unavailable` if the keys cannot be reached right now
   * @throws MisplacedSecretError if it opens, but with another context
   * @throws Error if the key is missing, or the text was changed
   */
  open(sealed: string, context: string): Promise<string>;
}

const NAME = 'PaymountMisplacedSecretError';

/** A sealed secret is in the wrong row. The key can open it. */
export class MisplacedSecretError extends Error {
  override readonly name = NAME;

  static is(value: unknown): value is MisplacedSecretError {
    return isError(value) && value.name === NAME;
  }
}
