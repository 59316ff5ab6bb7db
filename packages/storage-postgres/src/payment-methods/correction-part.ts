import type { StoredChange } from '@paymount/core/store';
import type { Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { json } from '../shared/columns.ts';

/**
 * The payment methods that a correction reaches. The index `payment_methods_correctable` has the condition
 * about customers and bank accounts. Those that were erased get no number again.
 */
export function correctable(processorToken: string, live: string): string {
  return `processor_token = ${processorToken} AND livemode = ${live}
    AND (customer_id IS NOT NULL OR us_bank_account IS NOT NULL) AND erased_at IS NULL`;
}

/**
 * Corrects the payment methods of a token that differ, in any version: an update that relies on an older
 * version is then raced. They are locked in order, so that two callers cannot deadlock.
 */
export function correctionPart(corrected: NonNullable<StoredChange['corrected']>): Part {
  const { processorToken, number, last4, expMonth, expYear, routingNumber, accountType } =
    corrected;
  return {
    code: partCode('corrected'),
    // Absent facts are no members of the JSON.
    values: [
      processorToken,
      json({ last4, expMonth, expYear }),
      json({ last4, routingNumber, accountType }),
      number?.sealed ?? null,
      number?.kid ?? null,
    ],
    sql: ({ schema, at, alias, when }) => {
      const next = [
        ['card', `card || ${at(1)}::jsonb`],
        ['us_bank_account', `us_bank_account || ${at(2)}::jsonb`],
        ['sealed_number', ofBankAccount('sealed_number', `${at(3)}::text`)],
        ['kid', ofBankAccount('kid', `${at(4)}::text`)],
      ] as const;
      const columns = next.map(([name]) => name).join(', ');
      const values = next.map(([, value]) => value).join(', ');
      return `${alias}_of AS (
  SELECT account_id, livemode, id FROM ${schema}.payment_methods
  WHERE ${correctable(`${at(0)}::text`, '$2::boolean')}
    AND (${columns}) IS DISTINCT FROM (${values}) AND ${when}
  ORDER BY id FOR NO KEY UPDATE),
${alias} AS (
  UPDATE ${schema}.payment_methods p SET version = version + 1, (${columns}) = ROW (${values})
  FROM ${alias}_of o
  WHERE (p.account_id, p.livemode, p.id) = (o.account_id, o.livemode, o.id))`;
    },
  };
}

function ofBankAccount(column: string, value: string): string {
  return `CASE WHEN us_bank_account IS NULL THEN ${column} ELSE COALESCE(${value}, ${column}) END`;
}
