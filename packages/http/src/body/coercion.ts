import { hasLeadingZero, PaymountError } from '@paymount/core/kernel';
import { z } from 'zod';
import { paramPath } from '../param-path.ts';
import { isTree, newTree, type Tree } from './tree.ts';

type Path = readonly (string | number)[];

/**
 * Converts the texts of a form to the types that a schema expects; other texts are left to the
 * schema.
 */
export type Coercion = (value: unknown, path: Path) => unknown;

const INTEGER = /^(?:0|-?[1-9][0-9]{0,2047})$/;
const INDEX = /^(?:0|[1-9][0-9]{0,2})$/;
const TWO_DIGITS = /^0[0-9]$/;

/**
 * Compiles the coercion of a schema, once per route: integers without plus or leading zero
 * (but `08` where the schema has it), `true` and `True`, `false` and `False`, members named by
 * index for arrays.
 * @throws PaymountError (the coercion) `parameter_duplicate` for a single value sent twice
 */
export function coercionFor(schema: z.core.$ZodType): Coercion {
  if (hasLeadingZero(schema)) return single(toShortInteger);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable
  ) {
    return coercionFor(schema.unwrap());
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return coercionFor(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) return coercionFor(schema.in);
  if (schema instanceof z.ZodObject) return objectCoercion(schema);
  if (schema instanceof z.ZodRecord) return recordCoercion(coercionFor(schema.valueType));
  if (schema instanceof z.ZodArray) return arrayCoercion(coercionFor(schema.element));
  if (schema instanceof z.ZodUnion) return unionCoercion(schema);
  if (schema instanceof z.ZodNumber) return single(toInteger);
  if (schema instanceof z.ZodBoolean) return single(toBoolean);
  return single((value) => value);
}

function single(convert: (value: unknown) => unknown): Coercion {
  return (value, path) => {
    if (!Array.isArray(value) || value.length < 2) return convert(value);
    const param = paramPath(path);
    throw new PaymountError(
      'parameter_duplicate',
      `${param} was sent ${value.length} times; it takes one value.`,
      { param },
    );
  };
}

function toInteger(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (!INTEGER.test(value)) return value;
  return Math.max(Math.min(Number(value), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
}

function toShortInteger(value: unknown): unknown {
  return typeof value === 'string' && TWO_DIGITS.test(value) ? Number(value) : toInteger(value);
}

/** Python writes these words. */
const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
]);

function toBoolean(value: unknown): unknown {
  return BOOLEANS.get(value) ?? value;
}

function objectCoercion(schema: z.ZodObject): Coercion {
  const members = new Map<string, Coercion>();
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  for (const [name, member] of Object.entries(shape)) members.set(name, coercionFor(member));
  return (value, path) =>
    isTree(value) ? mapTree(value, path, (name) => members.get(name)) : value;
}

function recordCoercion(member: Coercion): Coercion {
  return (value, path) => {
    // A host's parser makes an array of `metadata[0]=a`.
    const tree = Array.isArray(value) ? { ...value } : value;
    return isTree(tree) ? mapTree(tree, path, () => member) : value;
  };
}

function arrayCoercion(item: Coercion): Coercion {
  return (value, path) => {
    const items = toItems(value);
    return items === undefined ? value : items.map((each, index) => item(each, [...path, index]));
  };
}

function toItems(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items;
  }
  if (typeof value === 'string' && value !== '') return [value];
  if (!isTree(value)) return undefined;
  const names = Object.keys(value);
  if (names.length === 0 || !names.every((name) => INDEX.test(name))) return undefined;
  return names.sort((a, b) => Number(a) - Number(b)).map((name) => value[name]);
}

/**
 * Tries every option in turn: a value that one cannot read is left to the next. A repeated value
 * goes only to options that accept several, if there are any.
 */
function unionCoercion(schema: z.ZodUnion): Coercion {
  const options = schema.options.map((option) => ({
    coerce: coercionFor(option),
    isMany: option instanceof z.ZodArray || option instanceof z.ZodRecord,
  }));
  const many = options.filter((option) => option.isMany);
  return (value, path) => {
    const takers = Array.isArray(value) && many.length > 0 ? many : options;
    return takers.reduce((coerced, option) => option.coerce(coerced, path), value);
  };
}

function mapTree(
  tree: Tree,
  path: Path,
  coercionOf: (name: string) => Coercion | undefined,
): Record<string, unknown> {
  const coerced = newTree();
  for (const [name, value] of Object.entries(tree)) {
    const coerce = coercionOf(name);
    coerced[name] = coerce === undefined ? value : coerce(value, [...path, name]);
  }
  return coerced;
}
