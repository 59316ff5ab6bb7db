import pg from 'pg';

const INT8 = 20;
const JSON_TEXT = 114;
const TIMESTAMPTZ = 1184;
const JSONB = 3802;

/**
 * How columns become values. Hosts change pg's global parsers (int8 to Number is common), so the
 * types that we read differently from text are fixed here: int8 is BigInt, timestamptz is Date.
 */
export const columnTypes = new pg.TypeOverrides();
columnTypes.setTypeParser(INT8, (text: string) => BigInt(text));
columnTypes.setTypeParser(TIMESTAMPTZ, toInstant);
columnTypes.setTypeParser(JSON_TEXT, (text: string): unknown => JSON.parse(text));
columnTypes.setTypeParser(JSONB, (text: string): unknown => JSON.parse(text));

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

/** The error of a column parser. The response has arrived, so the connection is still usable. */
export function isUnreadable(value: unknown): boolean {
  return value instanceof RangeError || value instanceof SyntaxError;
}
