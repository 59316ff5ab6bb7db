import { applyIn } from '../../changes/commit.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import {
  newId,
  type SettlementDifferenceId,
  type SettlementLineId,
} from '../../kernel/basics/id.ts';
import type { PaymentStorage } from '../payment-storage.ts';
import { matchLine } from './match-line.ts';
import { SETTLEMENT_DAYS, type SettlementDifference } from './settlement-difference.ts';
import type { SettlementCursor, UnsettledCharge } from './settlement-repository.ts';

const DAY_MS = 86_400_000;
const PAGE = 200;
/** What moves money is looked at on three days, in case no worker runs on one of them. */
const WINDOW_DAYS = 3;

interface MatchingPorts {
  readonly storage: Pick<PaymentStorage, 'transaction'>;
  readonly clock: Clock;
  /** Ends the pass early. */
  readonly isClosing: () => boolean;
}

/**
 * Compares what processors settled with what charges moved, in pages: lines are tried again whose
 * operation was not known, and charges that wait too long for their lines become differences. Any
 * number of processes may do it at once; what is found twice is recorded once.
 */
export async function matchSettlements(ports: MatchingPorts): Promise<void> {
  await matchAgain(ports);
  await findUnsettled(ports);
  await compareAgain(ports);
}

async function matchAgain({ storage, clock, isClosing }: MatchingPorts): Promise<void> {
  let page: readonly SettlementLineId[] = [];
  do {
    const after = page.at(-1);
    page = await storage.transaction((rows) => rows.settlements.listUnmatched(PAGE, after));
    for (const id of page) {
      if (isClosing()) return;
      await storage.transaction(async (rows) => {
        const line = await rows.settlements.takeUnmatched(id);
        const matched = line && (await matchLine(rows, line, clock.now()));
        if (matched?.found !== 'matched') return;
        await rows.settlements.saveMatch(matched.line);
        await rows.settlements.resolve('no_operation', id);
        if (matched.difference) await rows.settlements.addDifferences([matched.difference]);
        await applyIn(rows, matched.change);
      });
    }
  } while (page.length === PAGE);
}

async function findUnsettled({ storage, clock, isClosing }: MatchingPorts): Promise<void> {
  const at = clock.now();
  const to = daysBefore(at, SETTLEMENT_DAYS);
  const from = daysBefore(to, WINDOW_DAYS);
  let after: SettlementCursor | undefined;
  do {
    if (isClosing()) return;
    after = await storage.transaction(async ({ settlements }) => {
      const { unsettled, next } = await settlements.scanCharges({ from, to }, PAGE, after);
      await settlements.addDifferences(unsettled.map((charge) => notSettled(charge, at)));
      return next;
    });
  } while (after !== undefined);
}

async function compareAgain({ storage, clock, isClosing }: MatchingPorts): Promise<void> {
  const at = clock.now();
  const moments = { to: daysBefore(at, SETTLEMENT_DAYS), at };
  let after: SettlementDifferenceId | undefined;
  do {
    if (isClosing()) return;
    const from = after;
    after = await storage.transaction(({ settlements }) =>
      settlements.compareAgain(moments, PAGE, from),
    );
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
    ...{ id: newId('sd'), environment, processor, kind: 'not_settled', accountId },
    ...{ subjectId: chargeId, currency, expected: moved, found: settled },
    ...{ state: 'open', created: at },
  };
}
