import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { PaymountOptions } from 'paymount';
import { childProgram } from '../support/child-program.ts';

const PROGRAM = new URL('worker-process.ts', import.meta.url);

export interface WorkerSettings {
  readonly databaseUrl: string;
  readonly sealingKeys: NonNullable<PaymountOptions['sealingKeys']>;
  /** How far its clock is ahead of the machine's. */
  readonly shiftMs: number;
}

/** Starts so many processes, each with a worker; returns what ends them. */
export async function startWorkers(
  count: number,
  settings: WorkerSettings,
): Promise<() => Promise<void>> {
  const program = await childProgram(PROGRAM);
  const workers = Array.from({ length: count }, () =>
    fork(program, [JSON.stringify(settings)], { execArgv: [] }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  return async () => {
    await Promise.all(workers.map(kill));
  };
}

async function kill(worker: ChildProcess): Promise<void> {
  const exited = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exited;
}
