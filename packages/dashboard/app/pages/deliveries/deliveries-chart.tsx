import { Skeleton, Text } from '@mantine/core';
import type { DeliverySummary } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { BarChart, type Series } from '../../ui/bar-chart.tsx';
import { ErrorMessage } from '../../ui/error-message.tsx';

const SERIES: readonly Series[] = [
  { name: 'Succeeded', color: 'good' },
  { name: 'Failed', color: 'bad' },
];
const HOUR = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const EVERY_MS = 30_000;

/** Attempts of deliveries per hour, by outcome. @param endpoint only those to this one */
export function DeliveriesChart({ endpoint }: { endpoint?: string }) {
  const { data, error } = useObject<DeliverySummary>(
    'deliveries/summary',
    { interval: 'hour', endpoint },
    { every: EVERY_MS },
  );
  if (error && data === undefined) return <ErrorMessage error={error} />;
  if (data === undefined) return <Skeleton h={160} />;
  if (data.total.attempts.total === 0) {
    return <Text size="sm">Nothing was sent in the last 24 hours.</Text>;
  }
  const bars = data.intervals.map(({ starts_at: at, attempts }) => ({
    key: at,
    label: HOUR.format(new Date(at)),
    values: [attempts.succeeded, attempts.total - attempts.succeeded],
  }));
  return <BarChart label="Attempts of deliveries per hour" series={SERIES} bars={bars} />;
}
