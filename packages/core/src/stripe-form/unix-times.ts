import { z } from 'zod';
import { TimestampResource } from '../kernel/basics/resource.ts';

/**
 * Replaces the times of one JSON value by Unix seconds. An unchanged value is returned as it is.
 * @param inner for values that a schema does not describe: a resource that names its type in
 *   `object`
 */
export type Rewrite = (value: unknown, inner: Inner) => unknown;
export type Inner = (value: unknown) => unknown;

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

const MS_PER_SECOND = 1_000;

/**
 * Compiles how to find the times of a resource: where its schema has `TimestampResource`, and
 * nowhere else, so that a caller's text is never read as a time. Ids may have been expanded.
 */
export function unixTimesIn(schema: z.core.$ZodType): Rewrite {
  // A description makes another schema of the same definition.
  if (schema._zod.def === TimestampResource._zod.def) return toSeconds;
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable
  ) {
    return unixTimesIn(schema.unwrap());
  }
  if (schema instanceof z.ZodObject) return isOpen(schema) ? expanded : unixTimesInMembers(schema);
  if (schema instanceof z.ZodArray) return unixTimesInItems(unixTimesIn(schema.element));
  return schema instanceof z.ZodString ? expanded : asItIs;
}

const asItIs: Rewrite = (value) => value;
const expanded: Rewrite = (value, inner) => inner(value);

function toSeconds(value: unknown): unknown {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? value : Math.floor(ms / MS_PER_SECOND);
}

/** Whether it may be any resource: the object of an event. */
function isOpen(schema: z.ZodObject): boolean {
  return schema.def.catchall instanceof z.ZodUnknown;
}

function unixTimesInMembers(schema: z.ZodObject): Rewrite {
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  const members = new Map(
    Object.entries(shape).map(([name, member]) => [name, unixTimesIn(member)]),
  );
  return (value, inner) =>
    isFields(value)
      ? mapFields(value, (name, member) => (members.get(name) ?? expanded)(member, inner))
      : value;
}

function unixTimesInItems(item: Rewrite): Rewrite {
  return (value, inner) =>
    Array.isArray(value) ? value.map((each: unknown) => item(each, inner)) : value;
}

/** Converts each member, in the same order. */
export function mapFields(
  fields: Fields,
  change: (name: string, value: unknown) => unknown,
): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, change(name, value)]),
  );
}

/** Whether a JSON value is an object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
