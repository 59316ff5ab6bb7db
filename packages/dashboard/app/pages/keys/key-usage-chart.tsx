import { Text } from '@mantine/core';
import { useMemo } from 'react';
import type { KeyUsage, KeyUsageHour } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { type Bar, BarChart, type Series } from '../../ui/bar-chart.tsx';
import { ErrorMessage } from '../../ui/error-message.tsx';

const SERIES: readonly Series[] = [
  { name: 'Succeeded', color: 'good' },
  { name: 'Refused or limited', color: 'warning' },
  { name: 'Failed', color: 'bad' },
];
const DAYS = 30;
const DAY_MS = 86_400_000;
const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/** The requests of a key, for each of the last days. */
export function KeyUsageChart({ id }: { id: string }) {
  // The day does not change while the page is open, or the answer would be asked for again and again.
  const today = useMemo(() => new Date().setHours(0, 0, 0, 0), []);
  const first = new Date(today - (DAYS - 1) * DAY_MS);
  const { data, error } = useObject<KeyUsage>(`keys/${id}/usage`, { since: first.toISOString() });
  if (error) return <ErrorMessage error={error} />;
  if (data?.hours.length === 0) {
    return <Text size="sm">It was not used in the last {DAYS} days.</Text>;
  }
  return (
    <BarChart label="Requests per day" series={SERIES} bars={toBars(data?.hours ?? [], today)} />
  );
}

function toBars(hours: readonly KeyUsageHour[], today: number): readonly Bar[] {
  return Array.from({ length: DAYS }, (_, at) => {
    const label = DAY.format(new Date(today - (DAYS - 1 - at) * DAY_MS));
    const inDay = hours.filter(({ hour }) => DAY.format(new Date(hour)) === label);
    const sum = (pick: (hour: KeyUsageHour) => number) =>
      inDay.reduce((total, hour) => total + pick(hour), 0);
    const values = [
      sum((hour) => hour.succeeded),
      sum((hour) => hour.refused + hour.rate_limited),
      sum((hour) => hour.failed),
    ];
    return { label, values };
  });
}
