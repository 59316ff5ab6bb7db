import type { TestClockId } from '../../kernel/basics/id.ts';
import type { PlannedReminder, Reminder } from './reminder.ts';

/** Bound to one transaction. */
export interface ReminderRepository {
  /**
   * Plans the reminders of a period. One that was sent for the same period stays sent, also if the period is
   * longer now.
   */
  plan(reminders: readonly PlannedReminder[]): Promise<void>;
  /** Of two callers, one gets a reminder that is due by `until`; the other, false. */
  take(reminder: Reminder, until: Date): Promise<boolean>;
}

/** The reminders that workers send. */
export interface ReminderQueue {
  /** What is due by `now` and on no test clock, the oldest first. It locks nothing. */
  findDue(now: Date, limit: number): Promise<readonly Reminder[]>;
  /** The same on a test clock. */
  findDueOn(clock: TestClockId, until: Date, limit: number): Promise<readonly Reminder[]>;
}
