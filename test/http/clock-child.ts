import { createPaymount, type PaymountOptions } from 'paymount';
import { startWorker } from 'paymount/worker';
import { fakeClock } from '../support/clock.ts';

/**
 * A worker that is killed, as by `kill -9`, when it comes to a place for the n-th time; it ends by
 * itself when there is nothing left to do. The sealing keys come as JSON in `CLOCK_CHILD_KEYS`.
 */
const [database = '', place = '', times = '1', aheadMs = '0'] = process.argv.slice(2);

const sealingKeys: NonNullable<PaymountOptions['sealingKeys']> = JSON.parse(
  process.env['CLOCK_CHILD_KEYS'] ?? '[]',
);
const clock = fakeClock();
clock.advance(Number(aheadMs));
let visits = 0;
const paymount = await createPaymount({
  database,
  sealingKeys,
  clock,
  crashPoint(name) {
    if (name !== place) return;
    visits += 1;
    if (visits === Number(times)) process.kill(process.pid, 'SIGKILL');
  },
});
const worker = await startWorker(paymount);
await worker.drain();
await worker.close();
await paymount.close();
