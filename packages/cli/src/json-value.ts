/** The fields of a JSON object; undefined for any other text. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that holds text. @defaultValue an empty one */
export function stringField(object: Readonly<Record<string, unknown>>, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}
