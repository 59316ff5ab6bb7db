const GAP = '  ';

/**
 * Lines with their columns aligned, under a headline.
 * @param rows each with as many cells as there are headings
 */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const cells = [heads, ...rows].map((row) => row.map(printable));
  const widths = heads.map((_, column) =>
    Math.max(...cells.map((row) => countCharacters(row[column] ?? ''))),
  );
  return cells.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - countCharacters(cell)))
      .join(GAP)
      .trimEnd(),
  );
}

/** A name may contain control characters of a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

function countCharacters(text: string): number {
  return [...text].length;
}
