import type { Difference, VerifyOptions } from '@paymount/core/ledger';
import type { Session } from '../transaction/session.ts';
import { inSnapshot, SNAPSHOT_LIMIT_MS } from '../transaction/snapshot.ts';
import { balanceScan } from './balance-scan.ts';
import { bankFundsScan } from './bank-funds-scan.ts';
import { chargeScan } from './charge-scan.ts';
import { feeScan, keyScan } from './claim-scans.ts';
import { clockedChargeScan, clockedFundsScan } from './clock-scan.ts';
import { deliveryScan } from './delivery-scan.ts';
import { disputeScan } from './dispute-scan.ts';
import { eventBodyScan, eventCountScan } from './event-scans.ts';
import { operationScan } from './operation-scan.ts';
import { payoutContentScan } from './payout-content-scan.ts';
import { payoutEventScan, payoutScan } from './payout-scan.ts';
import { postingScan } from './posting-scan.ts';
import { refundScan } from './refund-scan.ts';
import { type Scan, scanSql } from './rule.ts';
import { settledChargeScan, settledFeeScan, settlementLineScan } from './settlement-scan.ts';

/** The longest first, so that two connections finish at nearly the same time. */
const SCANS: readonly Scan[] = [
  postingScan,
  chargeScan,
  eventBodyScan,
  eventCountScan,
  deliveryScan,
  operationScan,
  balanceScan,
  bankFundsScan,
  refundScan,
  payoutScan,
  payoutEventScan,
  payoutContentScan,
  disputeScan,
  settlementLineScan,
  settledChargeScan,
  settledFeeScan,
  clockedChargeScan,
  clockedFundsScan,
  feeScan,
  keyScan,
];

/** The sentences of all rules, each once. */
export const RULES: readonly string[] = [
  ...new Set(SCANS.flatMap(({ rules }) => rules.map(({ rule }) => rule))),
];

const BATCH = 500;
/** Per rule; more findings of one rule add nothing new. */
const MAX_LISTED = 100;

/**
 * Compares charges, refunds, payouts, operations, events, deliveries, balances and the ledger with each other
 * and with the rules of `RULES`, in one snapshot. It writes nothing, blocks nobody, and keeps only the rows
 * that it lists in memory.
 * @returns what does not agree, at most 100 findings per rule; empty if everything agrees
 */
export async function verifyData(
  session: Session,
  options: VerifyOptions = {},
  clock: { readonly shiftMs: number } = { shiftMs: 0 },
): Promise<readonly Difference[]> {
  const run = new Run(options, clock.shiftMs);
  await inSnapshot(session, async (first, snapshot) => {
    const workers = [run.work(first)];
    for (let count = 1; count < (options.connections ?? 1); count += 1) {
      workers.push(inSnapshot(session, (other) => run.work(other), snapshot));
    }
    // The first snapshot must stay open until the others have ended, also when one fails.
    const ends = await Promise.allSettled(workers);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  });
  return run.listed;
}

/** Scans that several connections share, and their findings. */
class Run {
  readonly listed: Difference[] = [];
  readonly #options: VerifyOptions;
  readonly #shiftMs: number;
  readonly #waiting = [...SCANS];
  readonly #perRule = new Map<string, number>();
  #checked = 0;
  #found = 0;

  constructor(options: VerifyOptions, shiftMs: number) {
    this.#options = options;
    this.#shiftMs = shiftMs;
  }

  async work(session: Session): Promise<void> {
    try {
      for (let scan = this.#waiting.shift(); scan; scan = this.#waiting.shift()) {
        await this.#scan(session, scan);
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
    this.#checked += new Set(rules.map(({ rule }) => rule)).size;
    this.#options.onProgress?.({
      checked: this.#checked,
      rules: RULES.length,
      found: this.#found,
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
