import type { QueryResultRow } from 'pg';
import { toInstant } from '../connection/column-types.ts';

/**
 * The columns that drivers parse differently, by the names in our statements: a bigint may be a
 * string, a number or a BigInt; a time a Date or a string; JSON a value or text.
 */
export const PORTED_COLUMNS = {
  bigint: [
    'amount',
    'amount_captured',
    'amount_refunded',
    'balance',
    'fee',
    'object_version',
    'pending',
    'pending_of_banks',
    'available',
    'reserved',
    'collected',
    'net',
    'expected_amount',
    'found_amount',
    'moved',
    'settled',
  ],
  instant: [
    'clock_time',
    'frozen_time',
    'lease_until',
    'target_time',
    'at',
    'available_on',
    'canceled_at',
    'capture_before',
    'captured_at',
    'created',
    'deadline_at',
    'deleted_at',
    'detached_at',
    'disabled_at',
    'erased_at',
    'expected_by',
    'expires_at',
    'expunged_at',
    'failing_since',
    'final_warning_queued_at',
    'locked_until',
    'next_lookup_at',
    'now',
    'recorded_at',
    'review_since',
    'sent_at',
    'suspended_at',
    'warning_queued_at',
    'due_at',
    'last_period',
    'period',
    'settled_on',
  ],
  json: [
    'address',
    'balances',
    'billing_details',
    'blocked',
    'card',
    'changed_by',
    'created_by',
    'failure',
    'fee_details',
    'mandate',
    'metadata',
    'outcome',
    'payout_schedule',
    'secrets',
    'shipping',
    'url_set_by',
    'us_bank_account',
  ],
} as const;

const READ = {
  bigint: (value: unknown) => BigInt(String(value)),
  instant: (value: unknown) => (value instanceof Date ? value : toInstant(String(value))),
  json: (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value),
} as const;

const readers = new Map(
  (['bigint', 'instant', 'json'] as const).flatMap((type) =>
    PORTED_COLUMNS[type].map((name) => [name as string, READ[type]] as const),
  ),
);

/** Converts a row of any driver to the types of `column-types.ts`. */
export function portedRow<Row extends QueryResultRow>(row: object): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => {
      const read = value === null ? undefined : readers.get(name);
      return [name, read ? read(value) : value];
    }),
  ) as Row;
}
