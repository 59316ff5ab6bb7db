import { cpuOfProcess } from '../support/cpu-time.ts';
import type { Child } from './child.ts';
import type { LoadGenerator } from './http-load.ts';
import { type Side, WARM_UP_SECONDS } from './rounds.ts';

/** A server under load, as one side of a comparison. */
export function httpSide(
  name: string,
  server: Child,
  load: LoadGenerator,
  hooks: {
    readonly before?: () => Promise<void>;
    /** CPU time so far of other programs at work, µs. */
    readonly otherCpu?: () => Readonly<Record<string, number>>;
    /** Says why a window proves nothing, from the answers counted since `before`. */
    readonly check?: (operations: number) => Promise<readonly string[]>;
  } = {},
): Side {
  const cpuNow = (): Record<string, number> => ({
    node: cpuOfProcess(server.pid),
    ...hooks.otherCpu?.(),
  });
  return {
    name: `${name}, ${load.name}`,
    async measure(seconds) {
      await hooks.before?.();
      const warmUp = await load.run(WARM_UP_SECONDS);
      const before = cpuNow();
      const measured = await load.run(seconds);
      const after = cpuNow();
      const failures = warmUp.failures + measured.failures;
      return {
        ...measured,
        cpuMicros: Object.fromEntries(
          Object.entries(after).map(([program, time]) => [program, time - (before[program] ?? 0)]),
        ),
        invalid: [
          ...(failures > 0 ? [`${failures} requests were not answered 2xx`] : []),
          ...((await hooks.check?.(warmUp.operations + measured.operations)) ?? []),
        ],
      };
    },
  };
}
