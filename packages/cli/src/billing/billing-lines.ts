import { table } from '../command-line/table.ts';
import { isObject, stringField } from '../json-value.ts';

type Json = Readonly<Record<string, unknown>>;

/** The objects of a list that the API answered. */
export function itemsIn(list: Json): readonly Json[] {
  const { data } = list;
  return Array.isArray(data) ? data.filter(isObject) : [];
}

/** A field for a table: a dash for nothing. */
export function shown(object: Json, name: string): string {
  const value = object[name];
  if (value === null || value === undefined || value === '') return '-';
  return typeof value === 'object' ? '' : String(value);
}

/** The id of a field that holds an id, or the object itself. */
export function idOf(object: Json, name: string): string {
  const value = object[name];
  return isObject(value) ? stringField(value, 'id') : shown(object, name);
}

/**
 * An object for people: its simple fields, then a row for each entry of a list in it.
 * @param list the name of that list, and how each of its entries is written
 */
export function toFields(
  object: Json,
  { name, line }: { readonly name: string; readonly line: (item: Json) => string },
): readonly string[] {
  const fields = Object.entries(object).flatMap(([field, value]) => {
    if (field === name) return [];
    return isObject(value) ? nested(field, value) : [[field, shown(object, field)]];
  });
  const list = object[name];
  const entries = isObject(list) ? itemsIn(list).map((item) => [name, line(item)]) : [];
  return table(['FIELD', 'VALUE'], [...fields, ...entries]);
}

/** The simple fields of an object within another one. */
function nested(name: string, object: Json): readonly (readonly string[])[] {
  return Object.keys(object).flatMap((field) =>
    isObject(object[field]) || Array.isArray(object[field])
      ? []
      : [[`${name}.${field}`, shown(object, field)]],
  );
}
