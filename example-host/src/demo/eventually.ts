import { setTimeout as wait } from 'node:timers/promises';

const PAUSE_MS = 10;

/**
 * Calls a function until it returns a result.
 * @param what is awaited, for the message: "the delivery of charge.succeeded"
 * @throws Error if there is no result within `limitMs`
 */
export async function eventually<Found>(
  what: string,
  limitMs: number,
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  const endMs = performance.now() + limitMs;
  do {
    const found = await find();
    if (found !== undefined) return found;
    await wait(PAUSE_MS);
  } while (performance.now() < endMs);
  throw new Error(`Waited ${limitMs / 1000} s in vain for ${what}.`);
}
