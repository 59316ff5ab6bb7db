import { judgeAnswers } from './answer-laws.ts';
import type { Everything } from './books-and-journal.ts';
import { judgeCharges, judgeClearing, judgeJournal, judgeRefunds } from './journal-laws.ts';
import { judgeEvents, judgeOrders } from './order-laws.ts';

/**
 * Compares the bank's journal with charges, refunds, ledger, orders, events, and with what callers
 * were told. Pure, so that a test can plant each disagreement.
 * @returns sentences that name what is lost, doubled or disagrees; empty is good
 */
export function judgeMoney(all: Everything): readonly string[] {
  return [
    ...judgeJournal(all),
    ...judgeCharges(all),
    ...judgeRefunds(all),
    ...judgeClearing(all),
    ...judgeOrders(all),
    ...judgeEvents(all),
    ...judgeAnswers(all),
  ];
}
