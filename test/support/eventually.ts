const LIMIT_MS = 25_000;
/** So long it asks after every turn; then it leaves the processor to what is awaited. */
const EAGER_MS = 100;
const PAUSE_MS = 5;
/** Of the time that has passed: a wait of seconds costs few questions, and is noticed a little later. */
const PAUSE_SHARE = 0.05;
/** The real timers, also where a test has replaced them. */
const { setImmediate: turn, setTimeout: pause } = globalThis;

type Ask<Value> = () => Value | Promise<Value>;

/**
 * Asks again and again until the answer holds. The one loop of its kind: tests neither sleep nor
 * write their own.
 * @param holds by default, anything but `false`, `0`, `''`, `null` and `undefined` holds
 * @param limitMs how long to go on asking
 * @throws Error with the last answer, after that; whatever `ask` throws, at once
 */
export async function eventually<Value>(
  ask: Ask<Value>,
): Promise<Exclude<Value, undefined | null | false | 0 | ''>>;
export async function eventually<Value>(
  ask: Ask<Value>,
  holds: (value: Value) => boolean,
  limitMs?: number,
): Promise<Value>;
export async function eventually<Value>(
  ask: Ask<Value>,
  holds: (value: Value) => boolean = Boolean,
  limitMs = LIMIT_MS,
): Promise<Value> {
  const startedMs = performance.now();
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    const passedMs = performance.now() - startedMs;
    if (passedMs > limitMs) {
      throw new Error(`It was still ${JSON.stringify(value)} after ${limitMs} ms.`);
    }
    await new Promise<void>((resolve) => {
      if (passedMs < EAGER_MS) turn(resolve);
      else pause(resolve, Math.max(PAUSE_MS, passedMs * PAUSE_SHARE));
    });
  }
}
