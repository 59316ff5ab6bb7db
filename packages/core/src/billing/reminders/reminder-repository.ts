import type { Owner } from '../../kernel/basics/environment.ts';
import type { TestClockId } from '../../kernel/basics/id.ts';
import type { PlannedReminder, Reminder } from './reminder.ts';

/** Bound to one transaction. */
export interface ReminderRepository {
  /**
   * Plans the reminders of a period. One that was decided for the same period stays decided, also if the period
   * is longer now.
   */
  plan(reminders: readonly PlannedReminder[]): Promise<void>;
  /**
   * Locks a reminder and its subscription, so that nothing changes before it is decided.
   * @returns false if it is not due by `until` any more, or if another transaction has locked either
   */
  take(reminder: Reminder, until: Date): Promise<boolean>;
  /** It is decided: whether it was sent or not, it is not due again. */
  end(reminder: Reminder): Promise<void>;
  /**
   * It is due again at another time, unless it was decided.
   * @param failedAt it could not be decided; a failure before keeps its time. @defaultValue it only waits
   */
  postpone(reminder: Reminder, until: Date, failedAt?: Date): Promise<void>;
}

/** Which reminders are asked for. */
export interface DueReminders {
  readonly now: Date;
  /** Only those of accounts after it. @defaultValue from the first account */
  readonly from: Owner | undefined;
  readonly limit: number;
}

/** The reminders that workers send. */
export interface ReminderQueue {
  /**
   * What is due and on no test clock, in the order of accounts: of each as many as of another, the oldest
   * first. It has none of accounts that are suspended, and locks nothing.
   */
  findDue(asked: DueReminders): Promise<readonly Reminder[]>;
  /** What is due on a test clock, the oldest first. */
  findDueOn(clock: TestClockId, until: Date, limit: number): Promise<readonly Reminder[]>;
}
