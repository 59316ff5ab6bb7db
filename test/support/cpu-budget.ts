import type { FileTime } from './file-times.ts';

/** What the daily run may cost: `test/cpu-seconds.json`, written by `npm test -- --record`. */
export interface CpuTable {
  /** CPU seconds that `measureUnit` took in the run that was recorded: how fast its machine was. */
  readonly unit: number;
  /** CPU seconds of each folder of `test`, its child processes included; `servers` are PostgreSQL and Redis. */
  readonly folders: Readonly<Record<string, number>>;
  /** The files that took longest, longest first: they start first. */
  readonly longest: readonly string[];
}

/** What the sum may exceed the table by, for the noise of a busy machine. */
const MARGIN = 0.2;
const LONG_MS = 4_000;

/** @param servers CPU seconds of PostgreSQL and Redis; undefined if the run did not start them */
export function toTable(
  times: readonly FileTime[],
  servers: number | undefined,
  unit: number,
): CpuTable {
  const folders: Record<string, number> = {};
  for (const { file, cpuMs, childrenMs } of times) {
    const folder = file.split('/')[1] ?? '';
    folders[folder] = (folders[folder] ?? 0) + (cpuMs + childrenMs) / 1_000;
  }
  const rounded = Object.entries({ ...folders, ...(servers !== undefined && { servers }) })
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([folder, seconds]) => [folder, Math.round(seconds * 10) / 10] as const);
  const longest = times
    .filter(({ wallMs }) => wallMs >= LONG_MS)
    .toSorted((one, other) => other.wallMs - one.wallMs)
    .map(({ file }) => file);
  return {
    unit: Math.round(unit * 10_000) / 10_000,
    folders: Object.fromEntries(rounded),
    longest,
  };
}

/** What a run cost beside what it may cost. */
export interface Comparison {
  readonly isWithin: boolean;
  /** For the reader: the sums, and the folders that grew. */
  readonly text: string;
}

/**
 * Compares a run of the whole daily suite with the table, as if both machines were equally fast.
 * The sum decides: one folder may grow by what another one saves. Servers that the run did not start are
 * left out on both sides.
 */
export function compareCpu(run: CpuTable, table: CpuTable): Comparison {
  const speed = table.unit / run.unit;
  const scaled = (folder: string): number => (run.folders[folder] ?? 0) * speed;
  const sum = Object.keys(run.folders).reduce((total, folder) => total + scaled(folder), 0);
  const allowed = Object.entries(table.folders)
    .filter(([folder]) => folder !== 'servers' || 'servers' in run.folders)
    .reduce((total, [, seconds]) => total + seconds, 0);
  const isWithin = sum <= allowed * (1 + MARGIN);
  const grown = Object.keys(run.folders)
    .map((folder) => ({ folder, by: scaled(folder) - (table.folders[folder] ?? 0) }))
    .filter(({ by }) => by > 0)
    .sort((one, other) => other.by - one.by)
    .map(({ folder, by }) => `${folder} +${by.toFixed(1)}`);
  const figures = `${sum.toFixed(0)} CPU seconds at the speed of the table, which has ${allowed.toFixed(0)}`;
  if (isWithin) return { isWithin, text: `The run took ${figures}.` };
  const cure = `Save time, move depth to the nightly run, or record the table again (CONTRIBUTING.md).`;
  return {
    isWithin,
    text: `The run took ${figures}, and may take ${MARGIN * 100} % more. Grown: ${grown.join(', ')}. ${cure}`,
  };
}
