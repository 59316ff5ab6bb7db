import type { CustomTypesConfig } from 'pg';
import { readArray } from './array-literal.ts';

type Read = (text: string) => unknown;

const asNumber: Read = (text) => Number(text);
const asJson: Read = (text) => JSON.parse(text);
const asBigInt: Read = (text) => BigInt(text);
const asText: Read = (text) => text;
const asBoolean: Read = (text) => text === 't';
const asArray =
  (read: Read): Read =>
  (text) =>
    readArray(text, read);

/** By the object id of the type in `pg_type`, which is the same in every database. */
const READERS: ReadonlyMap<number, Read> = new Map<number, Read>([
  [16, asBoolean],
  [17, toBytes],
  [20, asBigInt],
  [21, asNumber],
  [23, asNumber],
  [26, asNumber],
  [114, asJson],
  [651, asArray(asText)], // cidr[]
  [700, asNumber],
  [701, asNumber],
  [1000, asArray(asBoolean)],
  [1003, asArray(asText)], // name[]
  [1005, asArray(asNumber)], // smallint[]
  [1007, asArray(asNumber)],
  [1009, asArray(asText)],
  [1015, asArray(asText)], // varchar[]
  [1016, asArray(asBigInt)],
  [1041, asArray(asText)], // inet[]
  [1184, toInstant],
  [1185, asArray(toInstant)],
  [3802, asJson],
]);

/**
 * How columns become values. Hosts change pg's parsers for the whole process (int8 to Number, int4 to
 * text, json to text), so none of them is used: int8 is BigInt, timestamptz is Date, and what is not
 * listed is text.
 */
export const columnTypes = {
  getTypeParser: (oid: number): Read => READERS.get(oid) ?? asText,
} satisfies CustomTypesConfig;

/**
 * @param text PostgreSQL's ISO style in any time zone: `2026-11-01 09:30:00.123+00`
 * @throws RangeError for values that a Date cannot represent, such as `infinity` and years before 1
 */
export function toInstant(text: string): Date {
  const iso = text.replace(' ', 'T');
  // PostgreSQL omits the minutes of whole-hour zones; Date requires them.
  const instant = new Date(/[+-]\d\d$/.test(iso) ? `${iso}:00` : iso);
  if (Number.isNaN(instant.getTime())) throw new RangeError(`A column holds the time ${text}.`);
  return instant;
}

/** `bytea_output` decides between the two forms: `\\x00ff`, or `\\000\\377` with ASCII as it is. */
function toBytes(text: string): Buffer {
  if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex');
  const latin = text.replaceAll(/\\(\\|[0-7]{3})/g, (_, code: string) =>
    code === '\\' ? code : String.fromCodePoint(Number.parseInt(code, 8)),
  );
  return Buffer.from(latin, 'latin1');
}

/** The error of a column parser. The response has arrived, so the connection is still usable. */
export function isUnreadable(value: unknown): boolean {
  return value instanceof RangeError || value instanceof SyntaxError;
}
