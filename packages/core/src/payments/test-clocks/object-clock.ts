import type { TestClockId } from '../../kernel/basics/id.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';

/** The test clock of an object, as it was read with the object. */
export interface ObjectClock {
  readonly id: TestClockId;
  /** The time that it showed. */
  readonly now: Date;
  readonly isAdvancing: boolean;
}

/** What may be on a test clock. */
export interface Clocked {
  /** Absent: the object is in the time that everybody shares. */
  readonly clock?: ObjectClock;
}

/** The business time of an object: of its test clock, otherwise `at`. */
export function timeOf({ clock }: Clocked, at: Date): Date {
  return clock?.now ?? at;
}

/** The field of a change that depends on the time of the object's test clock. */
export function clockField({ clock }: Clocked): Clocked {
  return clock === undefined ? {} : { clock };
}

/**
 * Refuses requests while a test clock advances: its objects belong to the worker that runs their due
 * work in order.
 * @throws PaymountError `test_clock_advancing`
 */
export function assertSteady({ clock }: Clocked): void {
  if (clock?.isAdvancing !== true) return;
  throw new PaymountError(
    'test_clock_advancing',
    `Test clock ${clock.id} is advancing; wait until it is ready.`,
  );
}
