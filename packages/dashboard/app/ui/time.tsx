import { useTick } from './use-tick.ts';

const ABSOLUTE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;
const WEEK_MS = 7 * 86_400_000;

interface TimeProps {
  readonly at: string | null | undefined;
  /** Shown if there is no time. */
  readonly none?: string;
  readonly exact?: boolean;
}

/** A time in the zone of the browser: near ones as "5 minutes ago", with the exact one as a hint. */
export function Time({ at, none = 'Never', exact = false }: TimeProps) {
  if (at === null || at === undefined) return none;
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${ABSOLUTE.format(date)} (${at})`}>
      {exact ? ABSOLUTE.format(date) : <Near date={date} />}
    </time>
  );
}

function Near({ date }: { date: Date }) {
  useTick();
  return near(date);
}

function near(date: Date): string {
  const ms = date.getTime() - Date.now();
  if (Math.abs(ms) > WEEK_MS) return ABSOLUTE.format(date);
  const [unit, size] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? UNITS[3];
  return RELATIVE.format(Math.round(ms / size), unit);
}
