import { type ReminderPorts, reminderPasses, remindsCustomers } from '@paymount/core/billing';
import type { Task } from './task.ts';

const MINUTE = 60_000;

/** Reminders of renewals in the time that everybody shares; none unless customers are reminded of anything. */
export function reminderTasks(reminders: ReminderPorts): readonly Task[] {
  if (!remindsCustomers(reminders.settings)) return [];
  return [{ name: 'reminders_of_renewals', everyMs: MINUTE, run: reminderPasses(reminders) }];
}
