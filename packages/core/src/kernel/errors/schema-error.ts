import { isError } from './is-error.ts';

const SCHEMA = 'SchemaError';

/**
 * The stored data and this version of Paymount do not fit together; the message says what to do.
 */
export class SchemaError extends Error {
  override readonly name = SCHEMA;

  static is(value: unknown): value is SchemaError {
    return isError(value) && value.name === SCHEMA;
  }
}
