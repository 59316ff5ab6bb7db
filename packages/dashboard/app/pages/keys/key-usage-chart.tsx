import { Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import type { KeyUsage } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { BarChart, type Series } from '../../ui/bar-chart.tsx';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { lastDays, toBars } from './usage-days.ts';

const SERIES: readonly Series[] = [
  { name: 'Succeeded', color: 'good' },
  { name: 'Refused or limited', color: 'warning' },
  { name: 'Failed', color: 'bad' },
];
const DAYS = 30;

/** The requests of a key, for each of the last days. */
export function KeyUsageChart({ id }: { id: string }) {
  // The days do not change while the page is open, or the answer would be asked for again and again.
  const [days] = useState(() => lastDays(new Date(), DAYS));
  const since = days[0]?.toISOString();
  const { data, error } = useObject<KeyUsage>(`keys/${id}/usage`, { since });
  if (error && data === undefined) return <ErrorMessage error={error} />;
  if (data === undefined) return <Skeleton h={160} />;
  if (data.hours.length === 0) {
    return <Text size="sm">It was not used in the last {DAYS} days.</Text>;
  }
  return <BarChart label="Requests per day" series={SERIES} bars={toBars(data.hours, days)} />;
}
