/** The objects of a list in an answer; none if it is no list. */
export function objectsIn(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return items.filter(isObject).map((item) => ({ ...item }));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
