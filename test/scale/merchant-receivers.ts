import { fork } from 'node:child_process';
import { once } from 'node:events';
import { childProgram } from '../support/child-program.ts';
import type { Arrival, Manner, MannersMessage } from './merchant-receivers-process.ts';

const PROGRAM = new URL('merchant-receivers-process.ts', import.meta.url);

/** Servers of merchants, in a process of their own. */
export interface MerchantReceivers {
  /** One of each server. */
  readonly ports: readonly number[];
  /** When each object arrived first, as `monotonicMs`; reported within 0.1 s. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** What the servers do from now on, in the order of the ports. */
  setManners(manners: readonly Manner[]): void;
  close(): Promise<void>;
}

/** Starts so many servers, all of which answer. */
export async function openMerchantReceivers(count: number): Promise<MerchantReceivers> {
  const child = fork(await childProgram(PROGRAM), [String(count)], { execArgv: [] });
  const [ports] = (await once(child, 'message')) as [number[]];
  const arrivals = new Map<string, number>();
  child.on('message', (some: readonly Arrival[]) => {
    for (const [id, atMs] of some) if (!arrivals.has(id)) arrivals.set(id, atMs);
  });
  return {
    ports,
    arrivals,
    setManners: (manners) => void child.send({ manners } satisfies MannersMessage),
    async close() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

/** A time that all processes of the machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
