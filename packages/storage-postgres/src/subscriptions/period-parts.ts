import type { BillingPeriod, PeriodFacts } from '@paymount/core/billing';
import { OWNED, OWNER, type Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';

/** Adds periods of a subscription. One that is there already is an error: none is billed twice. */
export function newPeriodsPart(periods: readonly BillingPeriod[]): Part {
  return {
    code: partCode('new_periods'),
    values: [JSON.stringify(periods)],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.billing_periods
    (account_id, livemode, subscription_id, index, starts_at, ends_at, invoice_id, is_billed)
  SELECT ${OWNER}, p."subscriptionId", p.index, p.start, p."end", p."invoiceId", p."isBilled"
  FROM jsonb_to_recordset(${at(0)}::jsonb) p ("subscriptionId" text, index integer,
    start timestamptz, "end" timestamptz, "invoiceId" text, "isBilled" boolean)
  WHERE ${when})`,
  };
}

/** Moves the end of the last period, before another begins. */
export function movedEndPart({
  subscriptionId,
  index,
  end,
}: NonNullable<PeriodFacts['movedEnd']>): Part {
  return {
    code: partCode('moved_period_end'),
    guard: 'raced',
    values: [subscriptionId, index, end],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  UPDATE ${schema}.billing_periods SET ends_at = ${at(2)}::timestamptz
  WHERE ${OWNED} AND subscription_id = ${at(0)}::text AND index = ${at(1)}::integer AND ${when}
  RETURNING index)`,
  };
}
