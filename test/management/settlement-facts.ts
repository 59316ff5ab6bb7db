import { query } from '../support/database.ts';

export type Json = Readonly<Record<string, unknown>>;

/** What a difference is about. */
export const factsOf = ({ kind, subject, expected, found }: Json): Json => ({
  kind,
  subject,
  expected,
  found,
});

/** What a person sends who settles a difference as it is shown. */
export const asShown = ({ expected, found }: Json, note = 'Confirmed by phone.'): Json => ({
  expected,
  found,
  note,
});

/** The rule of `verify` about what no settlement line came for. */
export const NOT_SETTLED =
  'What a charge moved is settled a week after it last changed, or a person has settled it.';

/** @returns the reference by which the processor knows an object, from its operation */
export async function readReference(databaseUrl: string, id: string): Promise<string> {
  const sql = `SELECT processor_reference FROM paymount.operations WHERE subject_id = '${id}'`;
  const [row] = await query<{ processor_reference: string }>(databaseUrl, sql);
  return String(row?.processor_reference);
}

/** The sums of the ledger accounts that settle. */
export async function ledgerSums(databaseUrl: string): Promise<Json> {
  const rows = await query<{ code: string; sum: string }>(
    databaseUrl,
    `SELECT a.code, sum(e.amount)::text AS sum FROM paymount.ledger_entry e
     JOIN paymount.ledger_account a ON a.id = e.ledger_account_id
     WHERE a.code IN ('processor_clearing', 'bank', 'processor_fees') GROUP BY a.code`,
  );
  return Object.fromEntries(rows.map(({ code, sum }) => [code, Number(sum)]));
}
