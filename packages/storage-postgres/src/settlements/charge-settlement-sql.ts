/**
 * What a charge, its refunds and its disputes moved in `processor_clearing`, before fees: columns
 * `moved` and `changed`, when it last did. @param s the schema's quoted name @param c the charge
 */
export function movedByCharge(s: string, c: string): string {
  const owned = (t: string): string =>
    `${t}.account_id = ${c}.account_id AND ${t}.livemode = ${c}.livemode`;
  return `SELECT COALESCE(sum(b.amount), 0)::bigint AS moved, max(b.created) AS changed
    FROM ${s}.balance_transactions b WHERE ${owned('b')} AND b.source_id IN (SELECT ${c}.id
      UNION ALL SELECT r.id FROM ${s}.refunds r WHERE ${owned('r')} AND r.charge_id = ${c}.id
      UNION ALL SELECT d.id FROM ${s}.disputes d WHERE ${owned('d')} AND d.charge_id = ${c}.id)`;
}

/** The sum of the lines of a charge: column `settled`. */
export function settledOfCharge(s: string, c: string): string {
  return `SELECT COALESCE(sum(l.amount), 0)::bigint AS settled FROM ${s}.settlement_lines l
    WHERE l.account_id = ${c}.account_id AND l.livemode = ${c}.livemode AND l.charge_id = ${c}.id
      AND l.currency = ${c}.currency`;
}
