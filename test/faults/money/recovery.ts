import { setTimeout as wait } from 'node:timers/promises';
import { query } from '../../support/database.ts';
import { verifyDatabase } from '../../support/verify-database.ts';
import type { Tally } from '../scenario.ts';
import type { Bank } from './bank.ts';
import type { Callers } from './callers.ts';
import type { Fleet } from './fleet.ts';

/** What must come to rest. */
export interface Recovering {
  readonly databaseUrl: string;
  readonly fleet: Fleet;
  readonly callers: Callers;
  readonly bank: Bank;
  readonly tally: Tally;
}

/** After the last fault nothing is pending for longer; the machine's time. */
export const REST_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 250;
/** Overdue by no more than this: the resolver comes by once a second. */
const LATE_MS = 5_000;
const QUIET_MS = 1_500;
/** Longer than any wait for a look-up, a lease or the lock of a key: deadline, 10 s, twice 5 min. */
export const CLOCK_STEP_MS = 6 * 60_000;

/** Work that is due and held by no process, by clocks `$1` milliseconds ahead of the machine's. */
const OVERDUE = `SELECT count(*)::int AS rows FROM (
    SELECT 1 FROM paymount.operations WHERE state IN ('created', 'sent', 'unknown')
      AND next_lookup_at <= clock_timestamp() + $1 * interval '1 ms'
    UNION ALL
    SELECT 1 FROM paymount.deliveries WHERE state = 'pending'
      AND due_at <= clock_timestamp() + $1 * interval '1 ms'
      AND (lease_until IS NULL OR lease_until < clock_timestamp() + $1 * interval '1 ms')
    UNION ALL
    SELECT 1 FROM paymount.notices WHERE state IN ('received', 'waiting')
      AND next_try_at <= clock_timestamp() + $1 * interval '1 ms'
  ) AS due`;

/**
 * What still waits, although everything was told: the bank is honest, so nothing of it is for a person.
 * Each selects a text.
 */
const WAITING: Readonly<Record<string, string>> = {
  'A notice waits': `SELECT id || ' ' || kind || ' ' || state || ': ' || coalesce(reason, '')
    FROM paymount.notices WHERE state IN ('received', 'waiting', 'quarantined')`,
  'A settlement line disagrees': `SELECT d.kind || ' of ' || d.subject_id || ', line '
      || coalesce(d.line_id, 'none') || ': ' || coalesce(d.expected_amount::text, 'nothing')
      || ' expected, ' || d.found_amount || ' found, for ' || coalesce(l.charge_id, 'no charge')
      || ' by ' || coalesce(l.processor_reference, 'none')
    FROM paymount.settlement_differences d
    LEFT JOIN paymount.settlement_lines l ON l.id = d.subject_id WHERE d.state = 'open'`,
  'A payout is on its way': `SELECT id || ' ' || status FROM paymount.payouts
    WHERE status IN ('pending', 'in_transit')`,
};

const VERSIONS = `SELECT id || ' ' || version || ' ' || next_lookup_at AS text
  FROM paymount.operations WHERE state IN ('created', 'sent', 'unknown')
  UNION ALL SELECT id || ' ' || tries || ' ' || next_try_at FROM paymount.notices
  WHERE state IN ('received', 'waiting') ORDER BY text`;

const UNRESOLVED = `SELECT count(*)::int AS rows FROM paymount.operations
  WHERE state IN ('created', 'sent', 'unknown')`;

/** What is left to do, as sentences. */
async function listLeft({ databaseUrl, bank }: Recovering): Promise<readonly string[]> {
  const left = [...(await verifyDatabase(databaseUrl, 'at rest'))];
  for (const [sentence, sql] of Object.entries(WAITING)) {
    const rows = await query<Record<string, string>>(databaseUrl, sql);
    left.push(...rows.flatMap((row) => Object.values(row)).map((text) => `${sentence}: ${text}`));
  }
  const unfinished = bank.unfinished();
  if (unfinished > 0) left.push(`${unfinished} stories and notices of the bank have no end.`);
  return left;
}

/**
 * Lets the machine's time pass and nothing else, until nothing is left to do, 60 s at most. What waits
 * for its time then is counted; what should have been done by then is late.
 * @param startedMs when the last fault was over, by `performance.now()`
 */
export async function waitInRealTime(
  recovering: Recovering,
  startedMs: number,
): Promise<readonly string[]> {
  const { databaseUrl, callers, tally } = recovering;
  while (performance.now() - startedMs < REST_LIMIT_MS) {
    await callers.askAgain();
    if ((await listLeft(recovering)).length === 0) return [];
    await wait(LOOK_EVERY_MS);
  }
  const late = await overdue(databaseUrl, -LATE_MS);
  const [open] = await query<{ rows: number }>(databaseUrl, UNRESOLVED);
  tally.add('operations whose look-up was not due after 60 s', open?.rows ?? 0);
  return late === 0 ? [] : [`${late} were overdue by more than ${LATE_MS} ms.`];
}

/**
 * Whether no operation changed for so long. A process that holds one would find the clock moved by
 * minutes within milliseconds, which no process lives to see.
 */
function quietFor(ms: number, databaseUrl: string): () => Promise<boolean> {
  let seen = '';
  let sinceMs = performance.now();
  return async () => {
    const rows = await query<{ text: string }>(databaseUrl, VERSIONS);
    const text = rows.map((row) => row.text).join();
    if (text !== seen) sinceMs = performance.now();
    seen = text;
    return text === '' || performance.now() - sinceMs >= ms;
  };
}

async function overdue(databaseUrl: string, shiftMs: number): Promise<number> {
  const [due] = await query<{ rows: number }>(databaseUrl, OVERDUE, [shiftMs]);
  return due?.rows ?? 0;
}

/**
 * Waits until nothing is left to do, without an operator: the workers and the callers that ask
 * again do all of it. Waits that the schedule prescribes (40 s for the first look-up, 5 minutes
 * between two that find nothing) are not waited for: the clocks of all processes are moved past
 * them, whenever nothing is due by them any more.
 * @param startedMs from when on it is counted, by `performance.now()`
 * @returns what is left 60 s of the machine's time later
 */
export async function comeToRest(
  recovering: Recovering,
  startedMs: number,
): Promise<readonly string[]> {
  const { databaseUrl, fleet, callers, tally } = recovering;
  const isQuiet = quietFor(QUIET_MS, databaseUrl);
  for (;;) {
    const unanswered = await callers.askAgain();
    const due = await overdue(databaseUrl, fleet.shiftMs);
    const isLate = performance.now() - startedMs > REST_LIMIT_MS;
    if ((due === 0 && (await isQuiet())) || isLate) {
      const left = [
        ...(await listLeft(recovering)),
        ...(unanswered > 0 ? [`${unanswered} callers have no answer.`] : []),
      ];
      if (left.length === 0) {
        tally.add('ms from the last fault to rest', Math.round(performance.now() - startedMs));
        tally.add('minutes that clocks were moved on', fleet.shiftMs / 60_000);
      }
      if (left.length === 0 || isLate) return left;
      await fleet.advance(CLOCK_STEP_MS);
      // Some tasks run once a minute of the machine's time.
      await fleet.drain();
    }
    await wait(LOOK_EVERY_MS);
  }
}
