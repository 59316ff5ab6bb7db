import { cpuOfProcess } from '../support/cpu-time.ts';
import type { Child } from './child.ts';
import type { DeliveryRun } from './outstanding.ts';
import type { Arrivals } from './receiver-child.ts';
import { type Side, WARM_UP_SECONDS } from './rounds.ts';

/** A process that delivers to the receiver, as one side of a comparison. */
export function deliverySide(
  name: string,
  sender: Child,
  receiver: Child,
  hooks: {
    readonly before?: () => Promise<void>;
    /** CPU time so far of other programs at work, µs. */
    readonly otherCpu?: () => Readonly<Record<string, number>>;
    /** Says why a window proves nothing, from the deliveries made since `before`. */
    readonly check?: (operations: number) => Promise<readonly string[]>;
  } = {},
): Side {
  const cpuNow = (): Record<string, number> => ({
    node: cpuOfProcess(sender.pid),
    receiver: cpuOfProcess(receiver.pid),
    ...hooks.otherCpu?.(),
  });
  return {
    name,
    async measure(seconds) {
      await hooks.before?.();
      await receiver.ask('reset', false);
      const warmUp = await sender.ask<DeliveryRun>('run', WARM_UP_SECONDS);
      const before = cpuNow();
      const measured = await sender.ask<DeliveryRun>('run', seconds);
      const after = cpuNow();
      const delivered = warmUp.total + measured.total;
      // Deliveries that ended after the window took time, too: the share of the others counts.
      const share = measured.operations / measured.total;
      return {
        ...measured,
        cpuMicros: Object.fromEntries(
          Object.entries(after).map(([program, time]) => [
            program,
            (time - (before[program] ?? 0)) * share,
          ]),
        ),
        invalid: [
          ...(await checkArrivals(receiver, delivered)),
          ...((await hooks.check?.(delivered)) ?? []),
        ],
      };
    },
  };
}

async function checkArrivals(receiver: Child, delivered: number): Promise<readonly string[]> {
  const { requests, duplicates } = await receiver.ask<Arrivals>('arrivals');
  if (requests === delivered && duplicates === 0) return [];
  return [`${requests} requests came for ${delivered} deliveries, ${duplicates} of them twice`];
}
