/**
 * A condition that always holds for the ledger data. Its texts are SQL over the rows of its scan.
 */
export interface Rule {
  /** The rule as a sentence. */
  readonly rule: string;
  /** True of a row that breaks it; null counts as false. */
  readonly broken: string;
  /** The id of the row that breaks the rule, with its currency where that matters. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
}

/** One pass over related rows, which checks all rules about them. */
export interface Scan {
  /** Common table expressions. @param s the schema's quoted name */
  readonly parts?: (s: string) => Readonly<Record<string, string>>;
  /** The FROM clause. @param s the schema's quoted name; `now`: the business time, as SQL */
  readonly from: (s: string, now: string) => string;
  readonly rules: readonly Rule[];
}

/**
 * The query of a scan.
 * @param shiftMs offset of business time from the database's time
 * @returns columns `rule` (its place in the scan), `subject`, `expected`, `found`
 */
export function scanSql({ parts, from, rules }: Scan, s: string, shiftMs: number): string {
  const now = `(statement_timestamp() + ${shiftMs} * interval '1 ms')`;
  const named = Object.entries(parts?.(s) ?? {}).map(
    ([name, text]) => `${name} AS MATERIALIZED (${text})`,
  );
  const judged = rules.map(
    ({ broken, subject, expected, found }, index) =>
      `(${index}, ${broken}, (${subject})::text, (${expected})::text, (${found})::text)`,
  );
  // The texts are built only for rows that break a rule, and those are few.
  return `${named.length === 0 ? '' : `WITH ${named.join(', ')}`}
    SELECT j.rule, j.subject, j.expected, j.found FROM ${from(s, now)}
    CROSS JOIN LATERAL (VALUES ${judged.join(', ')}) AS j (rule, broken, subject, expected, found)
    WHERE (${rules.map(({ broken }) => `(${broken})`).join(' OR ')}) AND j.broken`;
}

/** One of so many rows that a scan reads is counted. */
export const ROWS_PER_TICK = 256;
/** Between the name of the connection and the ticks. PostgreSQL cuts longer names than 63 bytes. */
const TICKS = ' #';
const NAME = "current_setting('application_name')";

/** The name of the connection without its ticks, cut so that there is room for them. */
const PLAIN_NAME = `left(split_part(${NAME}, '${TICKS}', 1), 48)`;
/** Before each scan. */
export const RESET_TICKS = `SELECT set_config('application_name', ${PLAIN_NAME}, true)`;

/** The ticks of the connection so far. @param name SQL of its `application_name` */
export function ticksSql(name: string): string {
  return `COALESCE(NULLIF(split_part(${name}, '${TICKS}', 2), '')::integer, 0)`;
}

/**
 * All rows of a large table, for `FROM`. One of `ROWS_PER_TICK` counts a tick in the name of the
 * connection, until the transaction ends: other connections see nothing else of a statement that runs.
 * The planner expects that the condition leaves nothing out, as it does.
 * @param id SQL of what tells the rows apart; @defaultValue `id`
 */
export function readAll(s: string, table: string, id = 'id'): string {
  return `(SELECT * FROM ${s}.${table} WHERE hashtext(${id}) % ${ROWS_PER_TICK} <> 0
    OR set_config('application_name', ${PLAIN_NAME} || '${TICKS}' || ${ticksSql(NAME)} + 1, true)
      IS NOT NULL)`;
}

/** The words of a list, for `IN (...)`. */
export function textList(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

/** Account and environment of a row, as text. @param row the row's alias */
export function ownerText(row: string): string {
  return `${row}.account_id || CASE WHEN ${row}.livemode THEN ' live' ELSE ' test' END`;
}
