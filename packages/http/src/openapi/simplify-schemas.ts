import { type Document, refTo, replaceSchemas, type Schema } from './schema.ts';

/**
 * Writes each schema in the form that client generators read best: `["string","null"]`, no
 * `default` (they would make the parameter required), only one form for each thing.
 */
export function simplifySchemas(document: Document): void {
  const isNamed = (name: string): boolean => Object.hasOwn(document.components.schemas, name);
  replaceSchemas(document, (schema) => simplified(schema, isNamed));
}

type IsNamed = (name: string) => boolean;

function simplified(schema: Schema, isNamed: IsNamed): Schema {
  const { default: unsent, anyOf, oneOf, expandsTo, ...rest } = schema;
  const next: Schema = rest;
  const inside = (child: Schema): Schema => simplified(child, isNamed);
  if (unsent !== undefined) {
    next.description = sentences(rest.description, `Default \`${JSON.stringify(unsent)}\`.`);
  }
  if (rest.items !== undefined) next.items = inside(rest.items);
  if (rest.properties !== undefined) next.properties = members(rest.properties, isNamed);
  if (typeof rest.additionalProperties === 'object')
    next.additionalProperties = inside(rest.additionalProperties);
  if (rest.propertyNames?.type === 'string') delete next.propertyNames;
  if (oneOf !== undefined) next.oneOf = oneOf.map(inside);
  const expanded = [expandsTo ?? []].flat().filter(isNamed);
  if (anyOf !== undefined) return union(next, [...anyOf.map(inside), ...references(expanded)]);
  if (expanded.length === 0) return next;
  const { description, type, ...id } = next;
  const types = [type ?? []].flat().map((each) => ({ ...id, type: each }));
  return union(description === undefined ? {} : { description }, [
    ...types,
    ...references(expanded),
  ]);
}

function members(properties: Record<string, Schema>, isNamed: IsNamed): Record<string, Schema> {
  const shown = Object.entries(properties).filter(([, { type, expandsTo }]) => {
    // Present only if expanded, and never expandable in this document.
    return typeof expandsTo !== 'string' || type !== undefined || isNamed(expandsTo);
  });
  return Object.fromEntries(shown.map(([name, member]) => [name, simplified(member, isNamed)]));
}

function references(names: readonly string[]): readonly Schema[] {
  return names.map((name) => ({ $ref: refTo(name) }));
}

/** The smallest union of several schemas. */
function union(rest: Schema, options: readonly Schema[]): Schema {
  const flat = options.flatMap((option) =>
    option.anyOf !== undefined && Object.keys(option).length === 1 ? option.anyOf : [option],
  );
  const isNullable = flat.some(({ type }) => type === 'null');
  const values = withoutEmpty(
    flat.filter(({ type }) => type !== 'null'),
    isNullable,
  );
  const [only, ...others] = values;
  if (only !== undefined && others.length === 0) {
    if (!isNullable) return { ...only, ...rest };
    if (typeof only.type === 'string' && isPlain(only))
      return { ...only, ...rest, type: [only.type, 'null'] };
  }
  return { ...rest, anyOf: [...values, ...(isNullable ? [{ type: 'null' }] : [])] };
}

function sentences(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined).join(' ');
}

/**
 * An empty text removes a value in forms, which have no null: a text may be empty, and JSON has
 * null.
 */
function withoutEmpty(options: readonly Schema[], isNullable: boolean): readonly Schema[] {
  const filled = options.filter((option) => option.const !== '');
  if (filled.length === options.length || isNullable) return filled;
  if (!filled.some(isText)) return options;
  return filled.map((option) => {
    if (!isText(option)) return option;
    const { minLength, format, pattern, ...text } = option;
    return { ...text, description: sentences(text.description, 'An empty text unsets it.') };
  });
}

function isText(schema: Schema): boolean {
  return schema.type === 'string' && isPlain(schema);
}

/** Whether generators give it no name of its own. */
function isPlain({ const: fixed, enum: values, properties }: Schema): boolean {
  return fixed === undefined && values === undefined && properties === undefined;
}
