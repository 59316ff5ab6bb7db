import type { z } from 'zod';

/** What callers pass for a schema, as a type: nothing of it is changed. */
export type Params<Schema extends z.ZodType> = Unchanged<z.input<Schema>>;

type Unchanged<Value> = Value extends object
  ? { readonly [Name in keyof Value]: Unchanged<Value[Name]> }
  : Value;
