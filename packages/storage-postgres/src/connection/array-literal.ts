const NEEDS_ESCAPE = /["\\]/;
const ESCAPED = /["\\]/g;

/**
 * Writes an array in PostgreSQL's syntax, for a parameter with a cast to the array type; drivers
 * would escape each element, and write times in the zone of the machine. None of ours are nested.
 * @param elements strings, numbers, booleans, times, bytes, or null or undefined for NULL
 * @throws TypeError for any other element
 */
export function arrayLiteral(elements: readonly unknown[]): string {
  let literal = '{';
  let separator = '';
  for (const element of elements) {
    literal += separator + toElement(element);
    separator = ',';
  }
  return `${literal}}`;
}

function toElement(element: unknown): string {
  if (typeof element === 'string') return quoted(element);
  if (element === null || element === undefined) return 'NULL';
  if (element instanceof Date) return `"${element.toISOString()}"`;
  if (element instanceof Uint8Array) return `"\\\\x${hexOf(element)}"`;
  if (['number', 'boolean', 'bigint'].includes(typeof element)) return String(element);
  throw new TypeError('This element has no form in an array of PostgreSQL.');
}

function quoted(text: string): string {
  return NEEDS_ESCAPE.test(text) ? `"${text.replaceAll(ESCAPED, '\\$&')}"` : `"${text}"`;
}

function hexOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex');
}

const ELEMENT = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/gsu;

/**
 * Reads what PostgreSQL writes of an array that is not nested: the inverse of {@link arrayLiteral}.
 * @param read reads the text of one element that is not NULL
 */
export function readArray<Element>(
  text: string,
  read: (element: string) => Element,
): (Element | null)[] {
  return [...text.matchAll(ELEMENT)].map(([, inQuotes, plain]) => {
    if (inQuotes !== undefined) return read(inQuotes.replaceAll(/\\(.)/gsu, '$1'));
    return plain === undefined || plain === 'NULL' ? null : read(plain);
  });
}
