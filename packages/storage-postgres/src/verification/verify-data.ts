import type { Difference, VerifyOptions } from '@paymount/core/ledger';
import type { Session } from '../transaction/session.ts';
import { inSnapshot, SNAPSHOT_LIMIT_MS } from '../transaction/snapshot.ts';
import { adjustmentScan, writeOffScan } from './adjustment-scans.ts';
import { balanceScan } from './balance-scan.ts';
import { bankFundsScan } from './bank-funds-scan.ts';
import { billedTimeScan } from './billed-time-scan.ts';
import { chargeScan } from './charge-scan.ts';
import { feeScan, keyScan } from './claim-scans.ts';
import { clockedChargeScan, clockedFundsScan } from './clock-scan.ts';
import { customerBalanceScan } from './customer-balance-scan.ts';
import { attachedMethodScan, chargedMethodScan, customerScan } from './customer-scans.ts';
import { deliveryScan } from './delivery-scan.ts';
import { disputeScan } from './dispute-scan.ts';
import { eventBodyScan, eventCountScan } from './event-scans.ts';
import {
  invoiceChargeScan,
  invoiceItemScan,
  invoiceNumberScan,
  invoiceScan,
} from './invoice-scans.ts';
import { operationScan } from './operation-scan.ts';
import { otherEventScan } from './other-event-scan.ts';
import { payoutContentScan } from './payout-content-scan.ts';
import { payoutScan } from './payout-scan.ts';
import { postingScan } from './posting-scan.ts';
import { refundScan } from './refund-scan.ts';
import { noticeScan } from './reported-scans.ts';
import { RowWatch } from './row-watch.ts';
import { RESET_TICKS, type Scan, scanSql } from './rule.ts';
import { planScan, type ScanPlan } from './scan-plan.ts';
import { settledChargeScan, settledFeeScan, settlementLineScan } from './settlement-scan.ts';
import {
  billingPeriodScan,
  subscriptionEventScan,
  subscriptionScan,
} from './subscription-scans.ts';

/** The longest first, so that two connections finish at nearly the same time. */
const SCANS: readonly Scan[] = [
  postingScan,
  chargeScan,
  eventBodyScan,
  eventCountScan,
  deliveryScan,
  operationScan,
  invoiceScan,
  invoiceItemScan,
  billedTimeScan,
  chargedMethodScan,
  otherEventScan,
  subscriptionEventScan,
  billingPeriodScan,
  subscriptionScan,
  balanceScan,
  invoiceNumberScan,
  invoiceChargeScan,
  bankFundsScan,
  refundScan,
  payoutScan,
  payoutContentScan,
  disputeScan,
  settlementLineScan,
  settledChargeScan,
  settledFeeScan,
  clockedChargeScan,
  clockedFundsScan,
  feeScan,
  keyScan,
  adjustmentScan,
  writeOffScan,
  attachedMethodScan,
  customerScan,
  customerBalanceScan,
  noticeScan,
];

/** The sentences of all rules, each once. */
export const RULES: readonly string[] = [
  ...new Set(SCANS.flatMap(({ rules }) => rules.map(({ rule }) => rule))),
];

const BATCH = 500;
/** Per rule; more findings of one rule add nothing new. */
const MAX_LISTED = 100;

/**
 * Compares charges, refunds, payouts, operations, events, deliveries, customers, invoices, subscriptions, balances
 * and the ledger with each other and with the rules of `RULES`, in one snapshot. It writes nothing, blocks nobody, and keeps only
 * the rows that it lists in memory.
 * @param lookEveryMs between two looks at how many rows were read, for `onProgress`
 * @returns what does not agree, at most 100 findings per rule; empty if everything agrees
 */
export async function verifyData(
  session: Session,
  options: VerifyOptions = {},
  clock: { readonly shiftMs: number } = { shiftMs: 0 },
  lookEveryMs?: number,
): Promise<readonly Difference[]> {
  const run = new Run(options, clock.shiftMs);
  const watch = new RowWatch(session, (rows) => run.at(rows));
  try {
    await inSnapshot(session, async (first, snapshot) => {
      await run.plan(first);
      if (options.onProgress) watch.start(() => run.pids, lookEveryMs);
      const workers = [run.work(first)];
      for (let count = 1; count < (options.connections ?? 1); count += 1) {
        workers.push(inSnapshot(session, (other) => run.work(other), snapshot));
      }
      // The first snapshot must stay open until the others have ended, also when one fails.
      const ends = await Promise.allSettled(workers);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    });
  } finally {
    // A look may have waited for one of these connections.
    await watch.end();
  }
  return run.listed;
}

/** A scan of a connection that has not ended. */
interface Reading {
  /** As planned. */
  readonly rows: number;
  read: number;
}

/** Scans that several connections share, and their findings. */
class Run {
  readonly listed: Difference[] = [];
  readonly #options: VerifyOptions;
  readonly #shiftMs: number;
  readonly #waiting = [...SCANS];
  readonly #plans = new Map<Scan, ScanPlan>();
  /** By the process of the server. */
  readonly #reading = new Map<number, Reading>();
  readonly #perRule = new Map<string, number>();
  #checked = 0;
  #found = 0;
  /** By scans that have ended, as planned. */
  #read = 0;

  constructor(options: VerifyOptions, shiftMs: number) {
    this.#options = options;
    this.#shiftMs = shiftMs;
  }

  /** The processes of the server that scan. */
  get pids(): readonly number[] {
    return [...this.#reading.keys()];
  }

  /** Asks the server what the scans will need, if anybody wants to know. */
  async plan(session: Session): Promise<void> {
    const { onPlan, onProgress, connections = 1 } = this.#options;
    if (!onPlan && !onProgress) return;
    for (const scan of SCANS) {
      const text = scanSql(scan, session.statements.schema, this.#shiftMs);
      this.#plans.set(scan, await planScan(session, text, SNAPSHOT_LIMIT_MS));
    }
    const plans = [...this.#plans.values()];
    // Those that need most may run at the same time.
    const largest = plans.map(({ diskBytes }) => diskBytes).sort((a, b) => b - a);
    onPlan?.({ rows: this.#rows, diskBytes: sum(largest.slice(0, connections)) });
  }

  get #rows(): number {
    return Math.ceil(sum([...this.#plans.values()].map(({ rows }) => rows)));
  }

  /** @param rows that scans have read, by the process of the server */
  at(rows: ReadonlyMap<number, number>): void {
    for (const [pid, reading] of this.#reading) {
      const read = Math.min(rows.get(pid) ?? 0, reading.rows);
      reading.read = Math.max(reading.read, read);
    }
    this.#report();
  }

  async work(session: Session): Promise<void> {
    const { rows } = await session.plain<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid ?? 0;
    try {
      for (let scan = this.#waiting.shift(); scan; scan = this.#waiting.shift()) {
        await session.plain(RESET_TICKS);
        const { rows: planned = 0 } = this.#plans.get(scan) ?? {};
        this.#reading.set(pid, { rows: planned, read: 0 });
        await this.#scan(session, scan);
        this.#reading.delete(pid);
        this.#read += planned;
        this.#checked += new Set(scan.rules.map(({ rule }) => rule)).size;
        this.#report();
      }
    } catch (error) {
      this.#waiting.length = 0;
      throw error;
    }
  }

  async #scan(session: Session, { rules, ...scan }: Scan): Promise<void> {
    const text = scanSql({ rules, ...scan }, session.statements.schema, this.#shiftMs);
    const patiently = <Row extends object>(sql: string) =>
      session.plain<Row>(sql, undefined, SNAPSHOT_LIMIT_MS);
    // This statement locks the tables, so it waits for others that hold them, such as a migration.
    await patiently(`DECLARE pm_scan NO SCROLL CURSOR FOR ${text}`);
    for (;;) {
      const { rows } = await patiently<Omit<Difference, 'rule'> & { rule: number }>(
        `FETCH ${BATCH} FROM pm_scan`,
      );
      for (const row of rows) this.#note({ ...row, rule: rules[row.rule]?.rule ?? '' });
      if (rows.length < BATCH) break;
    }
    await session.plain('CLOSE pm_scan');
  }

  #report(): void {
    const read = this.#read + sum([...this.#reading.values()].map((each) => each.read));
    this.#options.onProgress?.({
      checked: this.#checked,
      rules: RULES.length,
      found: this.#found,
      rows: { read: Math.floor(read), expected: this.#rows },
    });
  }

  #note(difference: Difference): void {
    this.#found += 1;
    const count = (this.#perRule.get(difference.rule) ?? 0) + 1;
    this.#perRule.set(difference.rule, count);
    if (count > MAX_LISTED) return;
    this.listed.push(difference);
    this.#options.onDifference?.(difference);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
