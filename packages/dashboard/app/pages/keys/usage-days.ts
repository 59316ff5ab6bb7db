import type { KeyUsageHour } from '../../api/resources.ts';
import type { Bar } from '../../ui/bar.ts';

const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/**
 * The beginnings of the last days, today's last. Days are not always 24 hours long.
 * @param now a time of today, in the zone of the browser
 */
export function lastDays(now: Date, count: number): readonly Date[] {
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(now);
    day.setHours(0, 0, 0, 0);
    day.setDate(day.getDate() - (count - 1 - at));
    return day;
  });
}

/** A bar for each day: requests that succeeded, that were refused or limited, and that failed. */
export function toBars(hours: readonly KeyUsageHour[], days: readonly Date[]): readonly Bar[] {
  return days.map((day) => {
    const inDay = hours.filter(({ hour }) => isOfDay(new Date(hour), day));
    const sum = (pick: (hour: KeyUsageHour) => number) =>
      inDay.reduce((total, hour) => total + pick(hour), 0);
    const values = [
      sum((hour) => hour.succeeded),
      sum((hour) => hour.refused + hour.rate_limited),
      sum((hour) => hour.failed),
    ];
    return { key: day.toISOString(), label: DAY.format(day), values };
  });
}

function isOfDay(at: Date, day: Date): boolean {
  return new Date(at).setHours(0, 0, 0, 0) === day.getTime();
}
