import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * CPU time of processes on this machine, from `/proc`; 0 where there is no `/proc`, and for
 * servers elsewhere. The kernel counts in ticks of 10 ms, so windows last seconds.
 */
const TICK_MICROS = 1_000_000 / ticksPerSecond();

interface ProcessTimes {
  readonly parent: number;
  readonly own: number;
  /** Of children that have ended and were waited for. */
  readonly ended: number;
}

/** User and system time of one process, µs. */
export function cpuOfProcess(pid: number): number {
  return readTimes(pid)?.own ?? 0;
}

/** The same of a process, its living children and those that have ended: a PostgreSQL server. */
export function cpuOfFamily(pid: number): number {
  const root = readTimes(pid);
  if (root === undefined) return 0;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readTimes(Number(name)))
    .filter((times) => times?.parent === pid);
  return children.reduce((sum, times) => sum + (times?.own ?? 0), root.own + root.ended);
}

/** CPU seconds of the processes that this one started and awaited, and of those that they awaited. */
export function cpuOfChildren(): number {
  return (readTimes(process.pid)?.ended ?? 0) / 1_000_000;
}

/** User and system time of a process, of all that it started, and of what those started, in µs; ended ones too. */
export function cpuOfTree(pid: number): number {
  const root = readTimes(pid);
  if (root === undefined) return 0;
  const children = new Map<number, [number, ProcessTimes][]>();
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? readTimes(Number(name)) : undefined;
    if (times === undefined) continue;
    const siblings = children.get(times.parent) ?? [];
    siblings.push([Number(name), times]);
    children.set(times.parent, siblings);
  }
  const sumOf = (parent: number, { own, ended }: ProcessTimes): number =>
    (children.get(parent) ?? []).reduce((sum, [child, of]) => sum + sumOf(child, of), own + ended);
  return sumOf(pid, root);
}

/** The parent of a process of this machine. */
export function readParent(pid: number): number | undefined {
  return readTimes(pid)?.parent;
}

/** Resident memory of a process, MB; undefined where there is no `/proc`. */
export function residentMegabytes(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  const kiB = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return kiB === undefined ? undefined : (Number(kiB) * 1024) / 1_000_000;
}

function readTimes(pid: number): ProcessTimes | undefined {
  const fields = readStat(pid);
  if (fields === undefined) return undefined;
  const at = (index: number): number => Number(fields[index] ?? 0);
  return {
    parent: at(1),
    own: (at(11) + at(12)) * TICK_MICROS,
    ended: (at(13) + at(14)) * TICK_MICROS,
  };
}

/** The fields of `stat` behind the program's name, which may hold spaces and parentheses. */
function readStat(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function ticksPerSecond(): number {
  try {
    return Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) || 100;
  } catch {
    return 100;
  }
}
