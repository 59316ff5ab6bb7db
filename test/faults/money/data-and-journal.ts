import type { Environment } from '@paymount/core/kernel';
import type { OperationKind } from '@paymount/core/payments';
import { query } from '../../support/database.ts';
import type { Asked } from './asked.ts';
import type { Aftermath, JournalLine } from './journal.ts';

export interface ChargeRow {
  readonly id: string;
  readonly status: string;
  readonly captureMethod: 'automatic' | 'manual';
  readonly amount: number;
  readonly captured: number;
  /** The name in its metadata. */
  readonly order: string;
  /** Whether it debits a bank account. */
  readonly isDebit: boolean;
  readonly environment: Environment;
}

/** A dispute that has taken money, now or before. */
export interface ChargebackRow {
  readonly id: string;
  readonly charge: string;
  readonly status: string;
  /** Null unless it is over. */
  readonly closedReason: string | null;
  /** What the processor calls it. */
  readonly reference: string;
  /** By its balance transactions, minor units. */
  readonly taken: number;
}

export interface PayoutRow {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  /** The name in its metadata; null of an automatic one. */
  readonly call: string | null;
}

/** What the host's hook was told of a dispute or payout. */
export interface OtherRow {
  readonly id: string;
  /** How it stands by now, by Paymount. */
  readonly status: string;
  /** By the hook; null if it was never told. */
  readonly state: string | null;
  readonly marks: readonly string[];
}

export interface RefundRow {
  readonly id: string;
  readonly charge: string;
  readonly status: string;
  readonly amount: number;
  /** The name in its metadata. */
  readonly call: string;
}

export interface OperationRow {
  readonly id: string;
  readonly kind: OperationKind;
  readonly subject: string;
  /** Null of a payout. */
  readonly charge: string | null;
  /** How it stands, for whoever reads a violation. */
  readonly state: string;
}

export interface OrderRow {
  readonly id: string;
  readonly charge: string | null;
  readonly state: string;
  readonly captured: number;
  readonly refunded: number;
  readonly marks: readonly string[];
}

export interface EventRow {
  readonly type: string;
  readonly charge: string;
}

/** What the processor owes one merchant's ledger, minor units. */
export interface ClearingRow {
  readonly environment: Environment;
  readonly amount: number;
}

/** Everything that must agree, as it stands at the end. */
export interface Everything {
  readonly journal: readonly JournalLine[];
  readonly aftermath: Aftermath;
  readonly asked: readonly Asked[];
  readonly charges: readonly ChargeRow[];
  readonly refunds: readonly RefundRow[];
  readonly chargebacks: readonly ChargebackRow[];
  readonly payouts: readonly PayoutRow[];
  readonly others: readonly OtherRow[];
  readonly operations: readonly OperationRow[];
  readonly orders: readonly OrderRow[];
  /** Of the host: which refund came of which call. */
  readonly returns: readonly { readonly call: string; readonly refund: string }[];
  readonly events: readonly EventRow[];
  readonly clearing: readonly ClearingRow[];
}

/** Reads all that the database says, beside the bank's journal and what callers were told. */
export async function readEverything(
  databaseUrl: string,
  { journal, aftermath }: Pick<Everything, 'journal' | 'aftermath'>,
  asked: readonly Asked[],
): Promise<Everything> {
  const read = <Row extends object>(sql: string) => query<Row>(databaseUrl, sql);
  return {
    journal,
    aftermath,
    asked,
    charges: await read<ChargeRow>(
      `SELECT id, status, capture_method AS "captureMethod", amount::int,
         amount_captured::int AS captured, metadata->>'order' AS order,
         currency = 'usd' AS "isDebit",
         CASE WHEN livemode THEN 'live' ELSE 'test' END AS environment FROM paymount.charges`,
    ),
    refunds: await read<RefundRow>(
      `SELECT id, charge_id AS charge, status, amount::int, metadata->>'call' AS call
       FROM paymount.refunds`,
    ),
    chargebacks: await read<ChargebackRow>(
      `SELECT d.id, d.charge_id AS charge, d.status, d.closed_reason AS "closedReason",
         d.processor_reference AS reference, COALESCE((SELECT -sum(b.amount)
           FROM paymount.balance_transactions b WHERE b.source_id = d.id), 0)::int AS taken
       FROM paymount.disputes d WHERE d.debit_id IS NOT NULL`,
    ),
    payouts: await read<PayoutRow>(
      `SELECT id, status, amount::int, metadata->>'call' AS call FROM paymount.payouts`,
    ),
    others: await read<OtherRow>(
      `SELECT p.id, p.status, o.state, COALESCE(o.marks, '{}') AS marks FROM (
           SELECT id, status FROM paymount.disputes
           -- The hook is told what became of a payout, and not that it was accepted.
           UNION ALL SELECT id, status FROM paymount.payouts
             WHERE status IN ('paid', 'failed', 'canceled')) p
         LEFT JOIN shop.others o ON o.id = p.id`,
    ),
    operations: await read<OperationRow>(
      `SELECT id, kind, subject_id AS subject, charge_id AS charge,
         state || ' at attempt ' || attempt || ', not found ' || not_founds || ' times' AS state FROM paymount.operations`,
    ),
    orders: await read<OrderRow>(
      `SELECT id, charge, state, captured::int, refunded::int, marks FROM shop.orders`,
    ),
    returns: await read<{ call: string; refund: string }>(
      `SELECT id AS call, refund FROM shop.returns`,
    ),
    events: await read<EventRow>(
      `SELECT type, object_id AS charge FROM paymount.events WHERE type LIKE 'charge.%'`,
    ),
    clearing: await read<ClearingRow>(
      `SELECT CASE WHEN e.livemode THEN 'live' ELSE 'test' END AS environment,
         sum(e.amount)::int AS amount
       FROM paymount.ledger_entry e JOIN paymount.ledger_account a ON a.id = e.ledger_account_id
       WHERE a.code = 'processor_clearing' GROUP BY e.livemode`,
    ),
  };
}
