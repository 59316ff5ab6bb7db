import { setImmediate as turn } from 'node:timers/promises';

const DEADLINE_MS = 5_000;

/** Waits until something holds. @throws Error after 5 s */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('It did not happen in time.');
    await turn();
  }
}
