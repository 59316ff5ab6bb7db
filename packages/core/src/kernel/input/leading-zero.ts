import { z } from 'zod';

const TAKERS = z.registry<Record<never, never>>();

/**
 * Lets forms write a one-digit number with a leading zero, as in months: `08`. Schemas derived from
 * it do not inherit that.
 */
export function withLeadingZero<Schema extends z.ZodType>(schema: Schema): Schema {
  TAKERS.add(schema, {});
  return schema;
}

/** Whether forms may write it with a leading zero. */
export function hasLeadingZero(schema: z.core.$ZodType): boolean {
  return TAKERS.has(schema);
}
