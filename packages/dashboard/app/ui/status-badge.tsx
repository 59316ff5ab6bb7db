import { Badge } from '@mantine/core';
import { toWords } from './to-words.ts';

type Tone = 'good' | 'bad' | 'waiting' | 'quiet' | 'warning';

const TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  enabled: 'good',
  succeeded: 'good',
  completed: 'good',
  failed: 'bad',
  failing: 'bad',
  open: 'bad',
  pending: 'waiting',
  running: 'waiting',
  parked: 'warning',
  held: 'warning',
  errored: 'bad',
  unknown: 'warning',
  expiring: 'warning',
  replaced: 'warning',
};
const COLORS: Readonly<Record<Tone, string>> = {
  good: 'teal',
  bad: 'red',
  waiting: 'blue',
  quiet: 'gray',
  warning: 'yellow',
};

/** A status as a word; the color only repeats it. */
export function StatusBadge({
  status,
  label = toWords(status),
}: {
  status: string;
  label?: string;
}) {
  return (
    <Badge
      color={COLORS[TONES[status] ?? 'quiet']}
      variant="light"
      radius="sm"
      c="var(--mantine-color-text)"
      tt="none"
      miw="max-content"
    >
      {label}
    </Badge>
  );
}
