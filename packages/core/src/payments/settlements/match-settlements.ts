import { applyIn } from '../../changes/commit.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import {
  newId,
  type SettlementDifferenceId,
  type SettlementLineId,
} from '../../kernel/basics/id.ts';
import type { LogFacts, Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import type { LockedAccounts } from '../operations/locked-accounts.ts';
import { matchLine, recordDifferences } from './match-line.ts';
import { SETTLEMENT_DAYS, type SettlementDifference } from './settlement-difference.ts';
import type { SettlementCursor, UnsettledCharge } from './settlement-repository.ts';
import type { SettlementRepositories, SettlementStorage } from './settlement-storage.ts';

const DAY_MS = 86_400_000;
const PAGE = 200;
/** How long lines are tried of which a person has settled that they have no operation. */
const RETRY_DAYS = 30;
/** What moves money is looked at on three days, in case no worker runs on one of them. */
const WINDOW_DAYS = 3;

interface MatchingPorts {
  readonly storage: SettlementStorage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the pass early. */
  readonly isClosing: () => boolean;
}

interface EarlyLinesPorts extends MatchingPorts {
  /** Kept between passes. */
  readonly locked: LockedAccounts;
}

/**
 * Compares lines again that came before what they are about, in pages: those whose operation was not
 * known, and those whose amount or fee differed. Any number of processes may do it at once. It writes
 * only what has changed, so it may run often.
 */
export async function matchEarlyLines(ports: EarlyLinesPorts): Promise<void> {
  await guarded(ports, {}, 'Settlement lines could not be matched', () => matchAgain(ports));
  for (const kind of ['amount_differs', 'fee_differs'] as const) {
    await guarded(ports, { kind }, 'Settlement lines could not be compared', () =>
      inPages(ports, ({ settlements }, after) => settlements.compareLinesAgain(kind, PAGE, after)),
    );
  }
}

/**
 * Compares what processors settled with what charges moved, in pages: charges that wait too long for
 * their lines become differences. Any number of processes may do it at once; what is found twice is
 * recorded once.
 */
export async function matchSettlements(ports: MatchingPorts): Promise<void> {
  await guarded(ports, {}, 'Charges could not be looked at', () => findUnsettled(ports));
  await guarded(ports, {}, 'Differences could not be compared', () => compareAgain(ports));
}

async function matchAgain(ports: EarlyLinesPorts): Promise<void> {
  const { storage, clock, locked, isClosing } = ports;
  const settledSince = daysBefore(clock.now(), RETRY_DAYS);
  let page: readonly SettlementLineId[] = [];
  do {
    const after = page.at(-1);
    page = await storage.transaction((rows) =>
      rows.settlements.listUnmatched(settledSince, PAGE, after),
    );
    for (const id of page) {
      if (isClosing()) return;
      const facts = { settlement_line: id };
      await guarded(ports, facts, 'A settlement line could not be matched', async () => {
        try {
          await matchOne(ports, id);
        } catch (error) {
          if (!locked.isNoted(error)) throw error;
        }
      });
    }
  } while (page.length === PAGE);
}

function matchOne(
  { storage, clock, locked: locks }: EarlyLinesPorts,
  id: SettlementLineId,
): Promise<void> {
  return storage.transaction(
    async (rows) => {
      const line = await rows.settlements.takeUnmatched(id);
      const matched = line && (await matchLine({ rows, locks, at: clock.now() }, line));
      if (matched?.found === 'other_currency') {
        await rows.settlements.resolve('no_operation', id);
        await rows.settlements.addDifferences([matched.difference]);
      }
      if (matched?.found !== 'matched' || !(await rows.settlements.isWanted(matched.line))) return;
      await rows.settlements.saveMatch(matched.line);
      await rows.settlements.resolve('no_operation', id);
      await recordDifferences(rows, matched);
      const { change } = matched;
      await locks.take(change.accountId, () => applyIn(rows, change));
    },
    { areBrief: true },
  );
}

async function findUnsettled(ports: MatchingPorts): Promise<void> {
  const { storage, clock, isClosing } = ports;
  const at = clock.now();
  const to = daysBefore(at, SETTLEMENT_DAYS);
  const window = { from: daysBefore(to, WINDOW_DAYS), to };
  let after: SettlementCursor | undefined;
  do {
    const from = after;
    const page = await storage.transaction(({ settlements }) =>
      settlements.scanCharges(window, PAGE, from),
    );
    for (const charge of page.unsettled) {
      if (isClosing()) return;
      const facts = { charge: charge.chargeId, account: charge.accountId };
      await guarded(ports, facts, 'A charge that is not settled could not be recorded', () =>
        storage.transaction((rows) => rows.settlements.addDifferences([notSettled(charge, at)])),
      );
    }
    after = page.next;
  } while (after !== undefined && !isClosing());
}

/** One that fails must not delay the others; the next pass tries it again. */
async function guarded(
  { logger }: MatchingPorts,
  facts: LogFacts,
  failure: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const err = isError(error) ? error : undefined;
    logger.error({ ...facts, err }, `${failure}; Paymount tries again.`);
  }
}

function compareAgain(ports: MatchingPorts): Promise<void> {
  const at = ports.clock.now();
  const moments = { to: daysBefore(at, SETTLEMENT_DAYS), at };
  return inPages(ports, ({ settlements }, after) => settlements.compareAgain(moments, PAGE, after));
}

/** @param compare compares a page after a difference in a transaction; returns where to continue */
async function inPages(
  { storage, isClosing }: MatchingPorts,
  compare: (
    rows: SettlementRepositories,
    after: SettlementDifferenceId | undefined,
  ) => Promise<SettlementDifferenceId | undefined>,
): Promise<void> {
  let after: SettlementDifferenceId | undefined;
  do {
    if (isClosing()) return;
    const from = after;
    after = await storage.transaction((rows) => compare(rows, from));
  } while (after !== undefined);
}

function daysBefore(at: Date, days: number): Date {
  return new Date(at.getTime() - days * DAY_MS);
}

function notSettled(
  { accountId, environment, chargeId, processor, currency, moved, settled }: UnsettledCharge,
  at: Date,
): SettlementDifference {
  return {
    id: newId('sd'),
    environment,
    processor,
    kind: 'not_settled',
    accountId,
    subjectId: chargeId,
    currency,
    expected: moved,
    found: settled,
    state: 'open',
    created: at,
  };
}
