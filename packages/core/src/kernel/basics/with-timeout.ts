/**
 * Rejects if `work` takes longer than `limitMs`. The work itself continues.
 * @param late called then: what it returns is the result, what it throws the reason; by default it
 *   throws "No answer within … ms."
 * @throws whatever `work` rejects with in time
 */
export async function withTimeout<Result, Late = never>(
  work: Promise<Result>,
  limitMs: number,
  late?: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  }).then(() => {
    if (late) return late();
    throw new Error(`No answer within ${limitMs} ms.`);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
