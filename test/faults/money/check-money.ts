import { checkChargebacks, checkOthers, checkPayouts } from './aftermath-laws.ts';
import { checkAnswers } from './answer-laws.ts';
import type { Everything } from './data-and-journal.ts';
import { checkCharges, checkClearing, checkJournal, checkRefunds } from './journal-laws.ts';
import { checkEvents, checkOrders } from './order-laws.ts';

/**
 * Compares the bank's journal with charges, refunds, disputes, payouts, ledger, orders, events, and with
 * what callers were told. Pure, so that a test can plant each disagreement.
 * @returns sentences that name what is lost, doubled or disagrees; empty is good
 */
export function checkMoney(all: Everything): readonly string[] {
  return [
    ...checkJournal(all),
    ...checkCharges(all),
    ...checkRefunds(all),
    ...checkChargebacks(all),
    ...checkPayouts(all),
    ...checkOthers(all),
    ...checkClearing(all),
    ...checkOrders(all),
    ...checkEvents(all),
    ...checkAnswers(all),
  ];
}
