import { expect } from 'chai';
import {
  begin,
  type Change,
  change,
  linesOf,
  type Plan,
  pay,
  renew,
  type Start,
} from './play-subscription.ts';

/** A change, or the renewal at the end of the period, and the lines that it writes. */
type Step = readonly [Change | 'renew', readonly string[]];
/** What it shows, what the subscription begins with, and what happens to it. Amounts are computed by hand. */
export type Example = readonly [string, Start, ...Step[]];

/** A change to other items. @param day or a time */
export function to(day: string, plan: Plan, more: Partial<Change> = {}): Change {
  return { at: day.length > 10 ? day : `${day}T00:00:00Z`, plan, ...more };
}

/** Plays each example, and compares the lines of each of its steps. */
export function playExamples(tables: Readonly<Record<string, readonly Example[]>>): void {
  for (const [where, examples] of Object.entries(tables)) {
    describe(where, () => {
      for (const [what, start, ...steps] of examples) it(what, () => play(start, steps));
    });
  }
}

function play(start: Start, steps: readonly Step[]): void {
  let subscription = begin(start);
  for (const [step, lines] of steps) {
    const decision = step === 'renew' ? renew(subscription) : change(subscription, step);
    expect(linesOf(decision)).to.deep.equal(lines);
    subscription = decision.subscription;
    if (step === 'renew') subscription = pay(subscription, subscription.period.index);
  }
}
