const MAX_COMPARED = 64;

/**
 * The known word with the smallest edit distance, for "did you mean"; the first of several equally
 * near ones. Only the beginning of a long text is compared.
 * @param known at least one
 */
export function nearest(text: string, known: readonly [string, ...string[]]): string {
  const bounded = text.slice(0, MAX_COMPARED);
  let best = { word: known[0], distance: Number.POSITIVE_INFINITY };
  for (const word of known) {
    const distance = editDistance(bounded, word);
    if (distance < best.distance) best = { word, distance };
  }
  return best.word;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
