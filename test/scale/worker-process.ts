// A worker in a process of its own, at a time ahead of the machine's. Started by `worker-processes.ts`.
import { createPaymount } from 'paymount';
import { startWorker } from 'paymount/worker';
import { fakeClock } from '../support/clock.ts';
import type { WorkerSettings } from './worker-processes.ts';

// Nobody is left to end this process when its parent is gone.
process.on('disconnect', () => process.exit(1));

const { databaseUrl, sealingKeys, shiftMs } = JSON.parse(process.argv[2] ?? '{}') as WorkerSettings;
const clock = fakeClock();
clock.advance(shiftMs);
const paymount = await createPaymount({ database: databaseUrl, sealingKeys, clock, mailer: false });
await startWorker(paymount);
process.send?.('ready');
