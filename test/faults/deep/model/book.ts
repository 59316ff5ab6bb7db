// What the API must show of one account, kept in the plainest way: no locks, no statements, no three
// phases. `rules.ts` changes it, `expected.ts` writes it out.

import type {
  Bank,
  Charge,
  Currency,
  Customer,
  Difference,
  Dispute,
  Funds,
  Method,
  Open,
  Payout,
  Refund,
  Subscription,
  Timeline,
} from './objects.ts';
import { newPlan, type PayoutPlan } from './payout-plan.ts';

/** What is on no balance of a merchant, and what is reserved. */
interface Totals {
  reserved: number;
  /** What the operator bears. */
  losses: number;
  /** What the bank has kept, and what it has paid after that. */
  fees: number;
  settled: number;
}

function newTotals(): Totals {
  return { reserved: 0, losses: 0, fees: 0, settled: 0 };
}

/** Everything of one account. */
export class Book {
  /** The time that all share. */
  readonly real: Timeline;
  /** Clocks that are not deleted. */
  clocks: readonly Timeline[] = [];
  readonly charges: Charge[] = [];
  readonly refunds: Refund[] = [];
  readonly disputes: Dispute[] = [];
  readonly payouts: Payout[] = [];
  readonly methods: Method[] = [];
  readonly customers: Customer[] = [];
  readonly banks: Bank[];
  readonly subscriptions: Subscription[] = [];
  readonly open: Open[] = [];
  readonly funds: Funds[] = [];
  /** `type id`. */
  readonly events: string[] = [];
  readonly plan: PayoutPlan = newPlan();
  readonly totals: Readonly<Record<Currency, Totals>> = { eur: newTotals(), usd: newTotals() };
  readonly differences: Difference[] = [];

  /** @param bank the id of the first bank account */
  constructor(nowMs: number, bank: string) {
    this.real = { nowMs };
    this.banks = [{ id: bank, isDefault: true, isErrored: false, isDeleted: false }];
  }

  available(currency: Currency): number {
    return this.#sum(currency, ({ atMs, timeline }) => atMs <= timeline.nowMs);
  }

  pending(currency: Currency): number {
    return this.#sum(currency, ({ atMs, timeline }) => atMs > timeline.nowMs);
  }

  /** Books what a charge moved: a debit is negative. @param atMs when it counts as available */
  book(amount: number, { currency, timeline }: Charge, atMs = timeline.nowMs): void {
    this.funds.push({ amount, currency, timeline, atMs });
  }

  /** Books a sale, which is pending first. */
  bookSale(charge: Charge): void {
    const { captured: amount, currency, timeline, fundsAtMs: atMs } = charge;
    charge.lines.moves.push(amount);
    this.totals[currency].fees += charge.fee;
    this.funds.push({ amount, currency, timeline, atMs, soldAtMs: timeline.nowMs });
    if (currency === 'eur') this.plan.hasSold = true;
  }

  /** Books what a payout took or gave back. */
  bookPayout(amount: number, { timeline }: Payout): void {
    this.funds.push({ amount, currency: 'eur', timeline, atMs: timeline.nowMs });
  }

  get defaultBank(): Bank | undefined {
    return this.banks.find(({ isDefault, isDeleted }) => isDefault && !isDeleted);
  }

  disputesOf(charge: Charge): readonly Dispute[] {
    return this.disputes.filter((dispute) => dispute.charge === charge);
  }

  openOf(subject: Open['subject']): Open | undefined {
    return this.open.find((open) => open.subject === subject);
  }

  /** A request that decides what a charge is: its own, or a refund that cancels it. */
  busy(charge: Charge): Open | undefined {
    return this.open.find(
      ({ kind, subject }) =>
        subject === charge ||
        (kind === 'cancel' && 'charge' in subject && subject.charge === charge),
    );
  }

  /** What became of each object, for the figures of a run. */
  outcomes(): readonly string[] {
    const of = (noun: string, { status }: { readonly status: string }) => `${noun}: ${status}`;
    return [
      ...this.charges.map((charge) => of(chargeNoun(charge), charge)),
      ...this.refunds.map((refund) => of('refund', refund)),
      ...this.disputes.map((dispute) => of('dispute', dispute)),
      ...this.payouts.map((each) => of(each.isAutomatic ? 'automatic payout' : 'payout', each)),
    ];
  }

  #sum(currency: Currency, counts: (funds: Funds) => boolean): number {
    return this.funds
      .filter((funds) => funds.currency === currency && counts(funds))
      .reduce((sum, { amount }) => sum + amount, 0);
  }
}

function chargeNoun({ isBilled, isDebit }: Charge): string {
  if (isBilled) return 'charge of an invoice';
  return isDebit ? 'debit' : 'charge';
}

/** A chargeback that is not decided. */
export function isOpenChargeback({ status }: Dispute): boolean {
  return status === 'needs_response' || status === 'under_review';
}

/** What chargebacks have taken. */
export function taken(disputes: readonly Dispute[]): number {
  return disputes
    .filter((dispute) => isOpenChargeback(dispute) || dispute.status === 'lost')
    .reduce((sum, { amount }) => sum + amount, 0);
}
