import type { z } from 'zod';

/** The type of the input that callers pass for a schema. */
export type Params<Schema extends z.ZodType> = Unchanged<z.input<Schema>>;

type Unchanged<Value> = Value extends object
  ? { readonly [Name in keyof Value]: Unchanged<Value[Name]> }
  : Value;
