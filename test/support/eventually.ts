const LIMIT_MS = 10_000;

/**
 * Asks again and again until the answer holds.
 * @param limitMs how long
 * @throws Error with the last answer, after that
 */
export async function eventually<Value>(
  ask: () => Promise<Value>,
  holds: (value: Value) => boolean,
  limitMs = LIMIT_MS,
): Promise<Value> {
  const deadlineMs = performance.now() + limitMs;
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    if (performance.now() > deadlineMs) throw new Error(`still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
