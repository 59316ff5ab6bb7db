import { createPaymount } from 'paymount';
import { startWorker } from 'paymount/worker';
import { answerCommands } from './child.ts';
import { SEALING_KEYS } from './seeds.ts';
import { silentLogger } from './silent-logger.ts';

/** A process that only runs the worker, as a host's background process does. */
const paymount = await createPaymount({
  database: process.env['BENCH_DATABASE_URL'] ?? '',
  sealingKeys: SEALING_KEYS,
  logger: silentLogger,
});
const worker = await startWorker(paymount);

answerCommands({}, async () => {
  await worker.close();
  await paymount.close();
});
