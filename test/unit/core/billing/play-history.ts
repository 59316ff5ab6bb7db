import { expect } from 'chai';
import fc from 'fast-check';
import type { BillingDecision } from '../../../../packages/core/src/billing/subscriptions/billing-decision.ts';
import {
  cancelSubscription,
  scheduleCancellation,
} from '../../../../packages/core/src/billing/subscriptions/cancel-subscription.ts';
import { changeSubscription } from '../../../../packages/core/src/billing/subscriptions/change-subscription.ts';
import { renewSubscription } from '../../../../packages/core/src/billing/subscriptions/renew-subscription.ts';
import type {
  BillingPeriod,
  ProrationBehavior,
  Subscription,
} from '../../../../packages/core/src/billing/subscriptions/subscription.ts';
import {
  type Change,
  create,
  INVOICE,
  itemsOf,
  type Plan,
  pay,
  toChange,
  withPeriods,
} from './play-subscription.ts';

/** One step of a random history, as numbers from which it is chosen. */
interface RandomStep {
  readonly kind: number;
  /** Where in the rest of the period it happens, in thousandths; 0: in the same second. */
  readonly wait: number;
  readonly plan: number;
  readonly behavior: number;
}

export interface RandomHistory {
  readonly start: number;
  readonly plan: number;
  readonly steps: readonly RandomStep[];
}

const AMOUNTS = [0, 1, 7, 999, 1_000, 3_000, 99_999, 4_999_999] as const;
const SHAPES = ['a', 'b', 'ab', 'ac', 'abc'] as const;
const STARTS = [
  '2030-01-31T10:00:00Z',
  '2032-02-29T00:00:00Z',
  '2030-03-15T22:30:00Z',
  '2030-10-20T23:59:59Z',
] as const;
const INTERVALS = ['day', 'week', 'month', 'year'] as const;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'] as const;
const DAY_MS = 86_400_000;

const step = fc.record({
  kind: fc.nat(19),
  wait: fc.oneof(fc.constant(0), fc.nat(999)),
  plan: fc.nat(9_999),
  behavior: fc.nat(2),
});

export const histories: fc.Arbitrary<RandomHistory> = fc.record({
  start: fc.nat(9_999),
  plan: fc.nat(9_999),
  steps: fc.array(step, { maxLength: 10 }),
});

/** What lines should sum to in the current period: what each price costs while it is in force. */
class Expected {
  /** By item: minor units of a full period, and from when on. */
  readonly #prices = new Map<string, { full: bigint; from: Date }>();
  #passed = 0n;

  /** Prices change at a time; those that stay continue. */
  change(subscription: Subscription, plan: Plan, at: Date): void {
    const items = new Map(itemsOf(plan).map((item) => [item.id as string, item]));
    for (const [id, price] of this.#prices) {
      const item = items.get(id);
      const before = subscription.items.find((each) => each.id === id);
      const isSame = item?.priceId === before?.priceId && item?.quantity === before?.quantity;
      if (item !== undefined && isSame) continue;
      this.#passed += costOf(price.full, subscription, price.from, at);
      this.#prices.delete(id);
    }
    for (const [id, { unitAmount, quantity }] of items) {
      if (this.#prices.has(id)) continue;
      this.#prices.set(id, { full: BigInt(unitAmount) * BigInt(quantity), from: at });
    }
  }

  /** What the period cost up to a time; then nothing is in force any more. */
  end(subscription: Subscription, at: Date): bigint {
    let sum = this.#passed;
    for (const { full, from } of this.#prices.values()) sum += costOf(full, subscription, from, at);
    this.#prices.clear();
    this.#passed = 0n;
    return sum;
  }

  begin(subscription: Subscription): void {
    const { period, items } = subscription;
    for (const { id, unitAmount, quantity } of items) {
      this.#prices.set(id, { full: BigInt(unitAmount) * BigInt(quantity), from: period.start });
    }
  }
}

/** Plays a history, and checks the laws after each step. @param isProrated all changes are prorated */
export function playHistory(history: RandomHistory, isProrated: boolean): void {
  const player = new HistoryPlayer(history, isProrated);
  for (const each of history.steps) player.step(each);
  player.finish();
}

class HistoryPlayer {
  #subscription: Subscription;
  #periods: readonly BillingPeriod[];
  #now: Date;
  /** Up to when the last change in the period was prorated. */
  #changed: Date;
  readonly #isProrated: boolean;
  readonly #expected = new Expected();
  /** Minor units of the lines for time of the current period: in all, and by item. */
  #billed = 0n;
  readonly #byItem = new Map<string, bigint>();

  constructor({ start, plan }: RandomHistory, isProrated: boolean) {
    this.#isProrated = isProrated;
    this.#now = new Date(STARTS[start % 4] ?? STARTS[0]);
    const interval = INTERVALS[(start >> 2) % 4] ?? 'month';
    const ahead = new Date(this.#now.getTime() + ((start >> 6) % 24) * 3_600_000);
    const kind = (start >> 4) % 4;
    const first = create({
      at: this.#now.toISOString(),
      plan: planOf(plan),
      interval,
      zone: ZONES[(start >> 8) % 4] ?? 'UTC',
      ...(kind === 1 && { anchor: ahead.toISOString() }),
      ...(kind === 2 && { trialEnd: new Date(ahead.getTime() + DAY_MS).toISOString() }),
      ...(!isProrated && start % 3 === 0 && { behavior: 'none' }),
    });
    const { subscription } = first;
    this.#subscription = subscription.status === 'incomplete' ? pay(subscription, 0) : subscription;
    this.#periods = first.newPeriods;
    this.#changed = this.#subscription.period.start;
    this.#count(first);
    if (this.#subscription.status === 'active') this.#expected.begin(this.#subscription);
  }

  step(random: RandomStep): void {
    if (this.#subscription.status === 'canceled') return;
    const { period } = this.#subscription;
    const rest = period.end.getTime() - this.#now.getTime();
    const waited = Math.floor((rest * random.wait) / 1000 / 1000) * 1000;
    const at = new Date(this.#now.getTime() + waited);
    if (at >= period.end || random.kind < 5) {
      this.#renew();
      return;
    }
    this.#now = at;
    if (random.kind === 5) this.#cancel();
    else if (random.kind === 6) this.#schedule(random);
    else this.#change(random);
  }

  /** The last period, up to its end. */
  finish(): void {
    if (this.#subscription.status === 'canceled') return;
    this.#renew();
  }

  #renew(): void {
    const before = this.#subscription;
    const { end, billedUntil } = before.period;
    const early = new Date(end.getTime() - 1000);
    const ports = { invoiceId: INVOICE, canPay: true };
    expect(renewSubscription(before, { ...ports, at: early })).to.equal(null);
    const renewal = renewSubscription(before, { ...ports, at: new Date(end.getTime() + 1000) });
    if (renewal === null) throw new Error('No renewal is due.');
    this.#close(before, billedUntil);
    this.#now = end;
    this.#apply(renewal);
    this.#open(renewal);
  }

  #change(random: RandomStep): void {
    const { kind, plan, behavior } = random;
    const before = this.#subscription;
    const { status, calendar, pendingUpdate } = before;
    const next = planOf(plan);
    const isTrial = status === 'trialing';
    const restarts = kind === 7 && !isTrial;
    const other = INTERVALS[plan % 4] ?? 'month';
    const begins = restarts || (!isTrial && kind === 8 && other !== calendar.interval);
    const behaviors: readonly ProrationBehavior[] = ['create_prorations', 'always_invoice', 'none'];
    const isLater = kind === 9;
    const change: Change = {
      at: this.#now.toISOString(),
      plan: next,
      ...(kind === 8 && { interval: other }),
      ...(restarts && { isAnchoredNow: true }),
      ...(isLater && { isAtPeriodEnd: true }),
      ...(pendingUpdate !== null && { dropsPending: true }),
      behavior: behaviors[this.#isProrated ? behavior % 2 : behavior] ?? 'none',
      ...(kind > 16 && { date: this.#changed.toISOString() }),
    };
    const decided = (at: Date, date?: string): BillingDecision =>
      changeSubscription(
        before,
        toChange(before, { ...change, ...(date !== undefined && { date }) }),
        {
          at,
          invoiceId: INVOICE,
        },
      );
    const decision = decided(this.#now);
    const date = change.date ?? change.at;
    const later = new Date(this.#now.getTime() + 999);
    expect(decided(later, isLater ? undefined : date).lines).to.deep.equal(decision.lines);
    const at = new Date(date);
    if (begins) {
      this.#close(before, at, decision);
      this.#apply(decision);
      this.#open(decision);
      return;
    }
    if (!isTrial && !isLater) {
      this.#expected.change(before, next, at);
      this.#changed = at;
    }
    this.#apply(decision);
    this.#count(decision);
  }

  #cancel(): void {
    const before = this.#subscription;
    const how = { isProrated: true, isInvoicedNow: false, details: {} };
    const decision = cancelSubscription(before, how, this.#now);
    this.#close(before, this.#now, decision);
    this.#apply(decision);
    expect(this.#subscription.nextActionAt).to.equal(null);
    expect(
      renewSubscription(this.#subscription, {
        at: new Date('2099-01-01'),
        invoiceId: INVOICE,
        canPay: true,
      }),
    ).to.equal(null);
  }

  /** A cancellation that is scheduled, and dropped before it comes. */
  #schedule({ plan }: RandomStep): void {
    const ahead = new Date(this.#subscription.period.end.getTime() + (1 + (plan % 20)) * 3_600_000);
    const end = { prorationBehavior: 'create_prorations', cancelAt: ahead } as const;
    const ports = { at: this.#now, invoiceId: INVOICE };
    const scheduled = scheduleCancellation(this.#subscription, end, ports);
    this.#apply(scheduled);
    this.#renew();
    const dropped = scheduleCancellation(
      this.#subscription,
      { ...end, cancelAt: null },
      { ...ports, at: this.#now },
    );
    this.#apply(dropped);
    this.#count(dropped);
  }

  #apply(decision: BillingDecision): void {
    const { version } = this.#subscription;
    this.#subscription = decision.subscription;
    expect(this.#subscription.version).to.equal(version + 1);
    this.#periods = withPeriods(this.#periods, decision);
    this.#periods.forEach((period, index) => {
      expect(period.index).to.equal(index);
      expect(period.start <= period.end).to.equal(true);
      const next = this.#periods[index + 1];
      if (next !== undefined) expect(next.start).to.deep.equal(period.end);
    });
    const last = this.#periods.at(-1);
    const { index, start, end } = this.#subscription.period;
    expect([last?.index, last?.start, last?.end]).to.deep.equal([index, start, end]);
  }

  /** The period ends: what it billed is what its prices cost while they were in force. */
  #close(subscription: Subscription, at: Date, decision?: BillingDecision): void {
    if (decision !== undefined) this.#countLines(decision.lines.filter((line) => isCredit(line)));
    const until = at < subscription.period.billedUntil ? at : subscription.period.billedUntil;
    const cost = this.#expected.end(subscription, until);
    if (this.#isProrated) expect(this.#billed).to.equal(cost);
  }

  /** The period that a decision began. */
  #open({ lines }: BillingDecision): void {
    this.#billed = 0n;
    this.#byItem.clear();
    this.#countLines(lines.filter((line) => !isCredit(line)));
    this.#changed = this.#subscription.period.start;
    if (this.#subscription.status === 'active') this.#expected.begin(this.#subscription);
  }

  #count({ lines }: BillingDecision): void {
    this.#countLines(lines);
  }

  /** No item gives back more than it was billed for in the period. */
  #countLines(lines: BillingDecision['lines']): void {
    for (const { amount, subscriptionItemId } of lines) {
      this.#billed += BigInt(amount);
      const id = subscriptionItemId ?? '';
      const sum = (this.#byItem.get(id) ?? 0n) + BigInt(amount);
      this.#byItem.set(id, sum);
      expect(sum >= 0n).to.equal(true);
    }
  }
}

function isCredit({ amount, isProration }: BillingDecision['lines'][number]): boolean {
  return isProration && amount < 0;
}

function planOf(seed: number): Plan {
  const letters = SHAPES[seed % 5] ?? 'a';
  const amount = (at: number): number => AMOUNTS[(seed + 3 * at) % 8] ?? 0;
  const entries = [...letters].map((letter, at): [string, readonly [string, number, number]] => [
    letter,
    [`Plan ${letter}`, amount(at), ((seed >> 3) + at) % 4],
  ]);
  return Object.fromEntries(entries);
}

/** R(P (to - s) / (e - s)) - R(P (from - s) / (e - s)), rounded half up: no amount is negative here. */
function costOf(full: bigint, { period }: Subscription, from: Date, to: Date): bigint {
  const seconds = (at: Date): bigint => BigInt(at.getTime() / 1000);
  const start = seconds(period.fullStart);
  const whole = seconds(period.end) - start;
  const upTo = (at: Date): bigint => {
    const passed = seconds(at) - start;
    if (passed >= whole) return full;
    return passed <= 0n ? 0n : (2n * full * passed + whole) / (2n * whole);
  };
  return to <= from ? 0n : upTo(to) - upTo(from);
}
