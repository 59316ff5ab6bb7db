/** Something that always holds in the books. Its texts are SQL over the rows of its scan. */
export interface Rule {
  /** The rule as a sentence. */
  readonly rule: string;
  /** True of a row that breaks it; null counts as false. */
  readonly broken: string;
  /** The id of the row at fault, and its currency where that matters. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
}

/** One pass over rows that belong together, which judges all rules about them. */
export interface Scan {
  /** Common table expressions. @param s the schema's quoted name */
  readonly parts?: (s: string) => Readonly<Record<string, string>>;
  /** What stands after FROM. @param s the schema's quoted name; `now`: the business time, as SQL */
  readonly from: (s: string, now: string) => string;
  readonly rules: readonly Rule[];
}

/**
 * The query of a scan.
 * @param shiftMs how far business time runs ahead of the database's
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
  // Few rows break a rule: only for those are the texts made.
  return `${named.length === 0 ? '' : `WITH ${named.join(', ')}`}
    SELECT j.rule, j.subject, j.expected, j.found FROM ${from(s, now)}
    CROSS JOIN LATERAL (VALUES ${judged.join(', ')}) AS j (rule, broken, subject, expected, found)
    WHERE (${rules.map(({ broken }) => `(${broken})`).join(' OR ')}) AND j.broken`;
}

/** Account and environment of a row, as a text. @param row the row's alias */
export function ownerText(row: string): string {
  return `${row}.account_id || CASE WHEN ${row}.livemode THEN ' live' ELSE ' test' END`;
}
