import type { Owner } from '../../kernel/basics/environment.ts';

const DAY_MS = 86_400_000;

/** What an invented object is made from. */
export interface FixtureFacts {
  readonly owner: Owner;
  /** When its event happens; all its times are told from here. */
  readonly at: Date;
  /** Minor units; every sum of the object follows from it. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
}

/** A moment some days after `at`, or before it when negative. */
export function days(at: Date, count: number): Date {
  return new Date(at.getTime() + count * DAY_MS);
}
