import { isTree } from './body/tree.ts';
import { Slices } from './slices.ts';

/** Resources do not change once they are made, so each is measured once, however often it is shown. */
const MEASURED = new WeakMap<object, number>();

/** The bytes of `{}` and of `[]`, and those of a comma and of a colon. */
const BRACKETS = 2;
const SIGN = 1;

/**
 * The bytes of the JSON of a value. An object that several others contain counts in each, but is
 * measured once, so that a small tree with a large text does not take the time of the text.
 */
function jsonSize(value: unknown): number {
  if (!Array.isArray(value) && !isTree(value)) return Buffer.byteLength(JSON.stringify(value));
  const known = MEASURED.get(value);
  if (known !== undefined) return known;
  const size = Array.isArray(value) ? itemsSize(value) : membersSize(value);
  MEASURED.set(value, size);
  return size;
}

/** The same, if it was measured before. */
export function knownJsonSize(value: object): number | undefined {
  return MEASURED.get(value);
}

/** The bytes of several resources, measured with pauses, until their sum exceeds a limit. */
export async function jsonSizeOfAll(values: readonly object[], limit: number): Promise<number> {
  const slices = new Slices();
  let sum = 0;
  for (const value of values) {
    sum += jsonSize(value);
    if (sum > limit) break;
    await slices.pause();
  }
  return sum;
}

function itemsSize(items: readonly unknown[]): number {
  let size = BRACKETS + SIGN * Math.max(0, items.length - 1);
  for (const item of items) size += jsonSize(item ?? null);
  return size;
}

function membersSize(members: Readonly<Record<string, unknown>>): number {
  let [size, count] = [BRACKETS, 0];
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    size += jsonSize(name) + SIGN + jsonSize(value);
    count += 1;
  }
  return size + SIGN * Math.max(0, count - 1);
}
