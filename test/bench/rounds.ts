import { measureSpread } from '../support/statistics.ts';
import type { BenchServer } from './database.ts';
import type { SideReport } from './figure.ts';

/** One measured stretch of one side, after its warm-up. */
export interface Window {
  readonly operations: number;
  readonly seconds: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** CPU time spent by each program, µs. */
  readonly cpuMicros: Readonly<Record<string, number>>;
  readonly invalid: readonly string[];
}

/** What is compared: each call warms up for a second, then measures. */
export interface Side {
  readonly name: string;
  measure(seconds: number): Promise<Window>;
}

/** Where, how long and how often, and who is told of progress. */
export interface Settings {
  readonly server: BenchServer;
  readonly rounds: number;
  readonly seconds: number;
  readonly say: (line: string) => void;
}

/** The rounds of a comparison. */
export interface Rounds {
  /** Subject's rate over floor's, one per round. */
  readonly ratios: readonly number[];
  readonly subject: readonly Window[];
  readonly floor: readonly Window[];
}

/** Before each measurement, thrown away. */
export const WARM_UP_SECONDS = 1;

/**
 * Runs both sides in every round, in turn first and second, so that whatever drifts (heat, other
 * tenants, a growing table) meets both alike.
 */
export async function runRounds(
  sides: { readonly subject: Side; readonly floor: Side },
  settings: Settings,
): Promise<Rounds> {
  const ratios: number[] = [];
  const windows: { subject: Window[]; floor: Window[] } = { subject: [], floor: [] };
  for (let round = 0; round < settings.rounds; round += 1) {
    const order =
      round % 2 === 0 ? (['subject', 'floor'] as const) : (['floor', 'subject'] as const);
    const measured = new Map<string, Window>();
    for (const which of order) {
      const window = await sides[which].measure(settings.seconds);
      windows[which].push(window);
      measured.set(which, window);
    }
    const ratio = requestRate(measured.get('subject')) / requestRate(measured.get('floor'));
    ratios.push(ratio);
    settings.say(
      `  round ${round + 1}: ${[...measured].map(([which, window]) => `${which} ${Math.round(requestRate(window))}/s`).join(', ')}, ratio ${ratio.toFixed(3)}`,
    );
  }
  return { ratios, ...windows };
}

/** Operations per second; 0 for a window in which nothing happened. */
export function requestRate(window: Window | undefined): number {
  return window === undefined || window.seconds === 0 ? 0 : window.operations / window.seconds;
}

/** Both sides of a comparison, by medians of their windows. */
export function reportSide(side: string, windows: readonly Window[]): SideReport {
  const programs = new Set(windows.flatMap(({ cpuMicros }) => Object.keys(cpuMicros)));
  const p50Ms = median(windows.map((window) => window.p50Ms));
  const p99Ms = median(windows.map((window) => window.p99Ms));
  return {
    side,
    operationsPerSecond: measureSpread(windows.map(requestRate)).median,
    ...(p50Ms === undefined ? {} : { p50Ms }),
    ...(p99Ms === undefined ? {} : { p99Ms }),
    cpuMicros: Object.fromEntries(
      [...programs].map((program) => [
        program,
        measureSpread(windows.map((window) => cpuPerOperation(window, program))).median,
      ]),
    ),
  };
}

/** µs of one program's CPU time per operation. */
export function cpuPerOperation(window: Window, program: string): number {
  return (window.cpuMicros[program] ?? 0) / Math.max(1, window.operations);
}

/** Why any of these windows proves nothing, each reason once. */
export function invalidReasons(rounds: Rounds): readonly string[] {
  return [...new Set([...rounds.subject, ...rounds.floor].flatMap(({ invalid }) => invalid))];
}

function median(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : measureSpread(known).median;
}
