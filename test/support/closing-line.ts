import type { Counts } from './reporter.ts';

/** @returns the counts of a closing line, `N passed, N failed[, N skipped]`; undefined for another line */
export function readClosingLine(line: string): Counts | undefined {
  const match = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(line);
  if (match === null) return undefined;
  const [, passed, failed, skipped = 0] = match;
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

/** @returns the line that {@link readClosingLine} reads */
export function toClosingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

export function addCounts(one: Counts, other: Counts): Counts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  };
}
