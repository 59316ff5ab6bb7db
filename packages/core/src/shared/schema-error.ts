const SCHEMA = 'SchemaError';

/** What is stored and this version of Paymount do not fit; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = SCHEMA;

  static is(value: unknown): value is SchemaError {
    return value instanceof Error && value.name === SCHEMA;
  }
}
