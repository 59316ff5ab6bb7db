import { z } from 'zod';

const TAKERS = z.registry<Record<never, never>>();

/**
 * Lets forms write a number of one digit with two, as people write months: `08`. Schemas that are
 * made from it do not inherit that.
 */
export function withLeadingZero<Schema extends z.ZodType>(schema: Schema): Schema {
  TAKERS.add(schema, {});
  return schema;
}

/** Whether forms may write it with a leading zero. */
export function hasLeadingZero(schema: z.core.$ZodType): boolean {
  return TAKERS.has(schema);
}
