import type { PayoutSchedule } from '@paymount/core/payments';

/** A schedule as the column has it: its time is a text. */
export type ScheduleJson = JsonOf<PayoutSchedule>;

type JsonOf<Schedule> = Schedule extends { readonly since: Date }
  ? Omit<Schedule, 'since'> & { readonly since: string }
  : Schedule;

/** Reads the column. */
export function toSchedule(schedule: ScheduleJson): PayoutSchedule {
  return schedule.interval === 'manual'
    ? schedule
    : { ...schedule, since: new Date(schedule.since) };
}
