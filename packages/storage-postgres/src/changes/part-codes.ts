/**
 * The parts of a change's statement that are not rows of a resource, each with its letters in the
 * statement's name; the tables of resources have their own `code`. The name selects the prepared
 * statement, so two parts with the same letters would send each other's SQL.
 */
const CODES = distinctCodes({
  kept_answer: 'z',
  endpoint_secret: 's',
  retired_secrets: 'q',
  events: 'e',
  deliveries: 'd',
  chosen_deliveries: 'h',
  retried_delivery: 'y',
  postings: 'l',
  balance_transactions: 'b',
  mails: 'j',
  own_claim: 'k',
  claim_of_another: 'f',
  answer: 'a',
  credential: 'g',
  token_credential: 'u',
  endpoints: 'v',
  no_hook: 'm',
  attached: 'na',
  detach_all: 'nd',
  delete_mails: 'nj',
  forget_items: 'ni',
  block_method: 'nb',
  corrected: 'nr',
  test_clock: 'nc',
  new_periods: 'np',
  moved_period_end: 'nm',
});

/** What a part of a change writes or guards. */
export type PartKind = keyof typeof CODES;

/**
 * The code of a part: the letters of its kind, and a suffix for each variant of its text. Letters
 * of kinds are lower case and suffixes are not, so that every sequence of codes is unambiguous.
 * @param variants such as the number of rows, or a verb
 */
export function partCode(kind: PartKind, ...variants: readonly string[]): string {
  return withVariants(CODES[kind], variants);
}

/** The code of a part that writes one row of a table. @param verb `i` for insert, `u` for update */
export function rowCode({ code }: Coded, verb: string): string {
  return withVariants(code, [verb]);
}

function withVariants(letters: string, variants: readonly string[]): string {
  return `${letters}${variants.join('').toUpperCase()}`;
}

interface Coded {
  readonly name: string;
  readonly code: string;
}

/** @throws TypeError when the code of a table is one of a part, or of another table */
export function assertTableCodes(tables: readonly Coded[]): void {
  const codes = tables.map(({ name, code }): [string, string] => [name, code]);
  distinctCodes({ ...CODES, ...Object.fromEntries(codes) });
}

/**
 * @returns the codes, as they were given
 * @throws TypeError when a code has other characters than lower-case letters, or is a prefix of
 * another one
 */
export function distinctCodes<const Codes extends Readonly<Record<string, string>>>(
  codes: Codes,
): Codes {
  const entries = Object.entries(codes);
  for (const [kind, code] of entries) {
    if (!/^[a-z]+$/.test(code)) throw new TypeError(`The code of ${kind} is not of small letters.`);
    const other = entries.find(([each, letters]) => each !== kind && letters.startsWith(code));
    if (other) throw new TypeError(`The code of ${kind}, "${code}", begins that of ${other[0]}.`);
  }
  return codes;
}
