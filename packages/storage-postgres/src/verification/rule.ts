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

/** The words of a list, for `IN (...)`. */
export function textList(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

/** Account and environment of a row, as text. @param row the row's alias */
export function ownerText(row: string): string {
  return `${row}.account_id || CASE WHEN ${row}.livemode THEN ' live' ELSE ' test' END`;
}
