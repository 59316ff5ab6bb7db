import { isError } from './is-error.ts';

const SCHEMA = 'SchemaError';

/** What is stored and this version of Paymount do not fit; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = SCHEMA;

  static is(value: unknown): value is SchemaError {
    return isError(value) && value.name === SCHEMA;
  }
}
