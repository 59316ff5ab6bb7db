import { useSyncExternalStore } from 'react';

const EVERY_MS = 10_000;

let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** One timer for all components of a page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    ticks += 1;
    for (const each of listeners) each();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Draws a component anew every 10 seconds, because what it shows depends on the time. */
export function useTick(): void {
  useSyncExternalStore(subscribe, () => ticks);
}
