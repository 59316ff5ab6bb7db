import type { EvaluatedFigure, FigureResult, SideReport } from './figure.ts';
import type { Machine } from './machine.ts';

/** One line about where the run takes place. */
export function machineLine(machine: Machine): string {
  const { commit, node, postgres, cpu, cores, memoryGiB, fdatasyncMicros } = machine;
  return `commit ${commit}, Node ${node}, PostgreSQL ${postgres}, ${cores} x ${cpu}, ${memoryGiB} GiB, fdatasync ${fdatasyncMicros} µs`;
}

/** What one benchmark measured, in a few lines. */
export function toLines(result: FigureResult): readonly string[] {
  return [
    ...result.figures.map((figure) => `  ${figureLine(figure)}`),
    ...result.sides.map((side) => `  ${sideLine(side)}`),
    ...result.reasons.map((reason) => `  ${reason}`),
    `${result.name}: ${result.verdict}`,
  ];
}

function figureLine(figure: EvaluatedFigure): string {
  const { name, unit, median, min, max, noisy, atLeast, atMost } = figure;
  const shown = (value: number): string => `${round(value)}${unit && ` ${unit}`}`;
  const verdict = figure.reached ? 'reached' : 'missed';
  return [
    `${name}: ${shown(median)} (${round(min)} to ${round(max)})`,
    ...(atLeast === undefined ? [] : [`at least ${shown(atLeast)}: ${verdict}`]),
    ...(atMost === undefined ? [] : [`at most ${shown(atMost)}: ${verdict}`]),
    ...(noisy ? ['noisy, run again'] : []),
  ].join(', ');
}

function sideLine({ side, operationsPerSecond, p50Ms, p99Ms, cpuMicros }: SideReport): string {
  const cpu = Object.entries(cpuMicros).map(
    ([program, micros]) => `${program} ${round(micros)} µs`,
  );
  return [
    `${side}: ${Math.round(operationsPerSecond)}/s`,
    ...(p50Ms === undefined ? [] : [`p50 ${round(p50Ms)} ms`]),
    ...(p99Ms === undefined ? [] : [`p99 ${round(p99Ms)} ms`]),
    ...(cpu.length === 0 ? [] : [`CPU per operation: ${cpu.join(', ')}`]),
  ].join(', ');
}

function round(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 3);
}
