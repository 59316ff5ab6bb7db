import { type OpenApi, resolved, type Schema } from './documents.ts';

/** Good values of texts, by the name of the parameter. */
const TEXTS: Readonly<Record<string, string>> = {
  currency: 'usd',
  country: 'US',
  number: '4242424242424242',
  token: 'tok_visa',
  account_number: '000123456789',
  routing_number: '110000000',
  hash: '0'.repeat(64),
};

/** A good value of a schema: of an object, what it requires. */
export function sampleOf(document: OpenApi, schema: Schema, name: string): unknown {
  const at = resolved(document, schema);
  const { format, properties = {}, required = [], items, minimum } = at;
  const type = [at.type].flat().find((each) => each !== 'null');
  const [option] = at.anyOf?.filter((each) => each.const !== '' && each.type !== 'null') ?? [];
  if (option !== undefined) return sampleOf(document, option, name);
  if (at.const !== undefined) return at.const;
  if (at.enum !== undefined) return at.enum[0];
  if (type === 'integer') return Math.max(minimum ?? 1, 1);
  if (type === 'boolean') return true;
  if (type === 'array') return items === undefined ? [] : [sampleOf(document, items, name)];
  if (type !== 'object')
    return format === 'date-time' ? '2031-01-01T00:00:00Z' : (TEXTS[name] ?? 'x');
  return Object.fromEntries(
    required.map((each) => [each, sampleOf(document, properties[each] ?? {}, each)]),
  );
}

/** Every object or list that a schema allows. */
export function optionsOf(document: OpenApi, schema: Schema): readonly Schema[] {
  const at = resolved(document, schema);
  return at.anyOf?.flatMap((option) => optionsOf(document, option)) ?? [at];
}

/**
 * A good body, in which one value is another. What it lacks around the value is added.
 * @param path of the value; the index of a list is the name of its item
 */
export function withValue(
  { document, schema, good }: { document: OpenApi; schema: Schema; good: unknown },
  [name = '', ...rest]: readonly string[],
  value: unknown,
): object {
  const option = optionsOf(document, schema).find(
    (each) => each.items !== undefined || each.properties?.[name] !== undefined,
  );
  if (option?.items !== undefined) {
    if (rest.length === 0) return [value];
    return [withValue({ document, schema: option.items, good: undefined }, rest, value)];
  }
  const properties = option?.properties ?? {};
  const isGood =
    typeof good === 'object' &&
    good !== null &&
    Object.keys(good).every((each) => properties[each] !== undefined);
  const around = new Map<string, unknown>(
    Object.entries(isGood ? good : { ...(sampleOf(document, option ?? {}, name) as object) }),
  );
  const member = properties[name] ?? {};
  const next =
    rest.length === 0
      ? value
      : withValue({ document, schema: member, good: around.get(name) }, rest, value);
  return Object.fromEntries(around.set(name, next));
}
