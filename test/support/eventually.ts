const LIMIT_MS = 10_000;

/**
 * Asks again and again until the answer holds.
 * @throws Error with the last answer, after 10 s
 */
export async function eventually<Value>(
  ask: () => Promise<Value>,
  holds: (value: Value) => boolean,
): Promise<Value> {
  const deadlineMs = performance.now() + LIMIT_MS;
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    if (performance.now() > deadlineMs) throw new Error(`still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
