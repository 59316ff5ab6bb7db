import type { Counts } from '../support/reporter.ts';
import { measureSpread, type Spread } from '../support/statistics.ts';

/** A value measured once per round, and the limit that its median must keep. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly atLeast?: number;
  readonly atMost?: number;
  /** What the figure should become; never a reason to fail. */
  readonly goal?: number;
}

/** One side of a comparison over all its windows. */
export interface SideReport {
  readonly side: string;
  readonly operationsPerSecond: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** CPU time of each program, µs per operation. */
  readonly cpuMicros: Readonly<Record<string, number>>;
}

/** What one benchmark measured. */
export interface Measurement {
  readonly figures: readonly Figure[];
  readonly sides: readonly SideReport[];
  /** Why the run proves nothing: a failed answer, a row too few, money that does not add up. */
  readonly invalid: readonly string[];
}

export type Verdict = 'reached' | 'missed' | 'invalid' | 'not measured';

/** A figure, judged. */
export interface EvaluatedFigure extends Omit<Figure, 'values'>, Spread {
  readonly values: readonly number[];
  readonly reached: boolean;
}

/** What is printed, and written with `--json`. */
export interface FigureResult {
  readonly name: string;
  readonly verdict: Verdict;
  readonly figures: readonly EvaluatedFigure[];
  readonly sides: readonly SideReport[];
  readonly reasons: readonly string[];
}

/** A tool is missing; the message names the cure. Never counts as reached. */
export class NotMeasured extends Error {}

/** Judges by medians; an invalid run is never `reached`. */
export function evaluate(name: string, measured: Measurement): FigureResult {
  const figures = measured.figures.map(evaluateFigure);
  const reached = figures.every((figure) => figure.reached);
  return {
    name,
    verdict: measured.invalid.length > 0 ? 'invalid' : reached ? 'reached' : 'missed',
    figures,
    sides: measured.sides,
    reasons: measured.invalid,
  };
}

/** A benchmark that could not be run. */
export function notMeasured(name: string, reason: string): FigureResult {
  return { name, verdict: 'not measured', figures: [], sides: [], reasons: [reason] };
}

/** A benchmark that ended early proves nothing; the others go on. */
export function broken(name: string, error: unknown): FigureResult {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { name, verdict: 'invalid', figures: [], sides: [], reasons: [reason] };
}

function evaluateFigure(figure: Figure): EvaluatedFigure {
  const spread = measureSpread(figure.values);
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = figure;
  return {
    ...figure,
    ...spread,
    // Differences and shares near 0 spread by any factor; only ratios are noisy by theirs.
    noisy: figure.unit === '' && spread.noisy,
    reached: spread.median >= atLeast && spread.median <= atMost,
  };
}

/** 1 when anything missed its limit or proved nothing; else 2 when anything was not measured. */
export function toExitCode(results: readonly FigureResult[]): 0 | 1 | 2 {
  const verdicts = results.map(({ verdict }) => verdict);
  if (verdicts.includes('missed') || verdicts.includes('invalid')) return 1;
  return verdicts.includes('not measured') ? 2 : 0;
}

/** What the closing line of a run says: what was not measured is neither passed nor failed. */
export function toCounts(results: readonly FigureResult[]): Counts {
  const count = (...verdicts: readonly Verdict[]): number =>
    results.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return {
    passed: count('reached'),
    failed: count('missed', 'invalid'),
    skipped: count('not measured'),
  };
}
