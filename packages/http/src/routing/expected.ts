import { findErrorHint } from '@paymount/core/kernel';
import { z } from 'zod';
import { isTree } from '../body/tree.ts';

type Schema = z.core.$ZodType;
type Path = readonly PropertyKey[];

/** The maximum number of names in a message; the reference has them all. */
const MAX_NAMES = 40;

/**
 * Describes the values of a parameter, as the end of a sentence: `an integer from 1 to 100`.
 * @param schema of all parameters
 * @param path of the parameter; in a union it follows the options that have it
 */
export function expectedAt(schema: Schema, path: Path): string {
  return inWords(schemasAt([schema], path));
}

/** Whether a parameter is an integer, and nothing else: a time may be a text too. */
export function isIntegerAt(schema: Schema, path: Path): boolean {
  return schemasAt([schema], path).every((option) => option instanceof z.ZodNumber);
}

function schemasAt(schemas: readonly Schema[], [segment, ...rest]: Path): readonly Schema[] {
  const options = schemas.flatMap(alternatives);
  if (segment === undefined) return options;
  const members = options.flatMap((option) => memberSchema(option, segment) ?? []);
  return schemasAt(members, rest);
}

/** The schemas of which a value must fit one, unwrapped. */
function alternatives(schema: Schema): readonly Schema[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable
  ) {
    return alternatives(schema.unwrap());
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return alternatives(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) return alternatives(schema.in);
  return schema instanceof z.ZodUnion ? schema.options.flatMap(alternatives) : [schema];
}

function memberSchema(schema: Schema, segment: PropertyKey): Schema | undefined {
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (!(schema instanceof z.ZodObject)) return undefined;
  const shape: Readonly<Record<PropertyKey, Schema>> = schema.shape;
  return Object.hasOwn(shape, segment) ? shape[segment] : undefined;
}

function inWords(options: readonly Schema[]): string {
  const words = [
    ...new Set(options.map((option) => findErrorHint(option) ?? shapeInWords(option))),
  ];
  const last = words.pop() ?? 'as the reference says';
  return words.length === 0 ? last : `${words.join(', ')} or ${last}`;
}

function shapeInWords(schema: Schema): string {
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodNull) return 'null';
  if (schema instanceof z.ZodLiteral) return listed([...schema.values].map(String));
  if (schema instanceof z.ZodEnum) return listed(schema.options.map(String));
  if (schema instanceof z.ZodNumber) return integer(schema);
  if (schema instanceof z.ZodString) return `a text${sized(schema, 'character')}`;
  if (schema instanceof z.ZodArray) {
    const items = sized(schema, 'item') || ' of items';
    return `a list${items}, each ${inWords(alternatives(schema.element))}`;
  }
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return 'an object';
  return 'a text';
}

/** Refinements show their limits only in the override of the reference. */
function integer(schema: z.ZodNumber): string {
  const override = schema.meta()?.['override'];
  const { minimum = schema.minValue, maximum = schema.maxValue } = isTree(override) ? override : {};
  const [least, most] = [bound(minimum), bound(maximum)];
  if (least !== undefined && most !== undefined) return `an integer from ${least} to ${most}`;
  if (least !== undefined) return `an integer of at least ${least}`;
  return most === undefined ? 'an integer' : `an integer of at most ${most}`;
}

function bound(limit: unknown): string | undefined {
  if (typeof limit !== 'number' || Math.abs(limit) >= Number.MAX_SAFE_INTEGER) return undefined;
  return limit.toLocaleString('en-US');
}

/** The limits of a text or a list: ` of 1 to 100 items`. */
function sized(schema: z.ZodString | z.ZodArray, unit: string): string {
  let [least, most] = [0, Infinity];
  for (const check of schema.def.checks ?? []) {
    if (check instanceof z.core.$ZodCheckMinLength) least = check._zod.def.minimum;
    if (check instanceof z.core.$ZodCheckMaxLength) most = check._zod.def.maximum;
  }
  if (most === Infinity) return least === 0 ? '' : ` of at least ${least} ${unit}s`;
  return least === 0 ? ` of at most ${most} ${unit}s` : ` of ${least} to ${most} ${unit}s`;
}

function listed(names: readonly string[]): string {
  const [only] = names;
  if (names.length === 1) return only === '' ? 'empty' : String(only);
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return `one of ${shown}${names.length > MAX_NAMES ? ', ...' : ''}`;
}
