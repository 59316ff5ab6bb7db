import type { Environment } from '../basics/environment.ts';
import { isError } from '../errors/is-error.ts';

/** Keeps secrets that must be read back. */
export interface Sealer {
  /**
   * @param plain the secret
   * @param context `table.column:rowId`; opening demands the same one, so that a ciphertext
   *   copied to another row fails
   * @param environment that the secret is of; absent for what serves both
   * @returns a compact JWE and the id of the key that sealed it
   * @throws PaymountError `unavailable` when the keys cannot be reached right now;
   *   `sealing_keys_missing` for live when the keys were generated for test
   */
  seal(
    plain: string,
    context: string,
    environment?: Environment,
  ): Promise<{ readonly sealed: string; readonly kid: string }>;
  /**
   * @throws PaymountError `unavailable` when the keys cannot be reached right now
   * @throws MisplacedSecretError when it opens, and the context differs
   * @throws Error when the key is missing, or the text was changed
   */
  open(sealed: string, context: string): Promise<string>;
}

const NAME = 'PaymountMisplacedSecretError';

/** A sealed secret stands where another one belongs. Its key is the right one. */
export class MisplacedSecretError extends Error {
  override readonly name = NAME;

  static is(value: unknown): value is MisplacedSecretError {
    return isError(value) && value.name === NAME;
  }
}
