import { existsSync, readFileSync } from 'node:fs';

/** What one test file took. */
export interface FileTime {
  readonly file: string;
  readonly wallMs: number;
  /** Of the worker that ran it, its garbage collector included. */
  readonly cpuMs: number;
  /** Of the processes that it started; a browser that goes on for the next file, so far. */
  readonly childrenMs: number;
}

/**
 * A table of the files, slowest first. What a file was idle, it waited: for PostgreSQL, a process,
 * a timer, or for a core that others used.
 */
export function timesTable(times: readonly FileTime[]): string {
  const slowest = times.toSorted((one, other) => other.wallMs - one.wallMs);
  const sum = (of: (time: FileTime) => number): number =>
    times.reduce((total, time) => total + of(time), 0);
  const all: FileTime = {
    file: `all ${times.length} files`,
    wallMs: sum((time) => time.wallMs),
    cpuMs: sum((time) => time.cpuMs),
    childrenMs: sum((time) => time.childrenMs),
  };
  const header = '  wall s   cpu s  children s  idle  file';
  return `${[header, ...[all, ...slowest].map(toRow)].join('\n')}\n`;
}

/** @param recordsFile one {@link FileTime} as JSON on each line; none where no test file ended */
export function readTimes(recordsFile: string): readonly FileTime[] {
  if (!existsSync(recordsFile)) return [];
  const lines = readFileSync(recordsFile, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as FileTime);
}

function toRow({ file, wallMs, cpuMs, childrenMs }: FileTime): string {
  const idle = Math.max(0, 1 - (cpuMs + childrenMs) / wallMs);
  const columns = [
    seconds(wallMs).padStart(8),
    seconds(cpuMs).padStart(8),
    seconds(childrenMs).padStart(12),
    `${Math.round(idle * 100)} %`.padStart(6),
  ];
  return `${columns.join('')}  ${file}`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
