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

/** SQL expressions that name whose fees are meant. */
interface FeesOf {
  readonly account: string;
  readonly livemode: string;
  readonly operation: string;
  /** The charge or refund of the operation. */
  readonly subject: string;
  readonly charge: string;
  readonly currency: string;
}

/**
 * The fees that outcomes and lines of a charge or refund told: columns `by_outcomes`, `by_lines` and
 * `given_back`, which is zero or less. Its operations, each once: the one that is given; the
 * authorization, whose reference its charge keeps; and what was captured or canceled of that.
 */
export function feesOf(s: string, of: FeesOf): string {
  const owned = (t: string): string =>
    `${t}.account_id = ${of.account} AND ${t}.livemode = ${of.livemode}`;
  return `SELECT (SELECT COALESCE(sum((o.outcome ->> 'fee')::bigint), 0)::bigint
      FROM (SELECT o.* FROM ${s}.operations o WHERE ${owned('o')} AND o.id = ${of.operation}
        UNION ALL SELECT o.* FROM ${s}.operations o WHERE ${owned('o')}
          AND o.charge_id = ${of.charge} AND o.kind IN ('capture', 'cancel')
          AND o.subject_id = ${of.subject} AND o.id <> ${of.operation}
        UNION ALL SELECT o.* FROM ${s}.charges c
          JOIN ${s}.operations o ON o.processor_reference = c.processor_reference
            AND o.account_id = c.account_id AND o.livemode = c.livemode AND o.subject_id = c.id
          WHERE ${owned('c')} AND c.id = ${of.subject} AND o.kind = 'authorize'
            AND o.id <> ${of.operation}) o
      WHERE o.state = 'done' AND o.outcome ->> 'outcome' = 'approved'
        AND o.currency = ${of.currency}) AS by_outcomes, told.by_lines, told.given_back
    FROM (SELECT COALESCE(sum(greatest(l.fee, 0)), 0)::bigint AS by_lines,
        COALESCE(sum(least(l.fee, 0)), 0)::bigint AS given_back
      FROM ${s}.settlement_lines l
      JOIN ${s}.operations o
        ON o.account_id = l.account_id AND o.livemode = l.livemode AND o.id = l.found_id
      WHERE ${owned('l')} AND l.charge_id = ${of.charge} AND l.currency = ${of.currency}
        AND o.subject_id = ${of.subject} AND (o.kind = 'refund' OR l.amount >= 0)) told`;
}
