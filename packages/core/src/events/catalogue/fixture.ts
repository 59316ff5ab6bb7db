import type { Owner } from '../../kernel/basics/environment.ts';

const DAY_MS = 86_400_000;

/** The facts from which an invented object is made. */
export interface FixtureFacts {
  readonly owner: Owner;
  /** The time of its event; all other times are relative to it. */
  readonly at: Date;
  /** Minor units; all sums of the object follow from it. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
}

/** The time some days after `at`, or before it if negative. */
export function days(at: Date, count: number): Date {
  return new Date(at.getTime() + count * DAY_MS);
}
