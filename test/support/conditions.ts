/** Things to be awaited, looked at again whenever something has changed. */
export interface Conditions {
  /** Looks at everything that is awaited. */
  check(): void;
  /** Waits until it holds. @throws Error after the limit, with what `failure` says then */
  until(holds: () => boolean, failure: () => string): Promise<void>;
}

/** Makes conditions that are awaited for so long at most. */
export function conditions(limitMs: number): Conditions {
  const checks = new Set<() => void>();
  return {
    check() {
      for (const each of checks) each();
    },
    until: (holds, failure) =>
      new Promise((resolve, reject) => {
        const settle = (): void => {
          if (!holds()) return;
          clearTimeout(timer);
          checks.delete(settle);
          resolve();
        };
        const timer = setTimeout(() => {
          checks.delete(settle);
          reject(new Error(failure()));
        }, limitMs);
        checks.add(settle);
        settle();
      }),
  };
}
