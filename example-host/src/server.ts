import { once } from 'node:events';
import express from 'express';
import { createPaymount } from 'paymount';
import { startWorker } from 'paymount/worker';

/**
 * A process as it runs in a container: the API, a worker, or both, by PROCESS. The probes have a
 * port of their own, which only the orchestrator reaches.
 */
const { DATABASE_URL = '', SEALING_KEY = '', REDIS_URL, PROCESS = 'both' } = process.env;
const { PORT = '3000', PROBES_PORT = '9090' } = process.env;

const paymount = await createPaymount({
  database: DATABASE_URL,
  sealingKeys: [{ kid: '2026', key: SEALING_KEY }],
  ...(REDIS_URL && { redis: REDIS_URL }),
});
const worker = PROCESS === 'api' ? undefined : await startWorker(paymount);
const app = express().use('/payments', paymount.router({ environment: 'test' }));
const server = PROCESS === 'worker' ? undefined : app.listen(Number(PORT));
const probes = express().use(paymount.healthRouter()).listen(Number(PROBES_PORT));

async function stop(): Promise<void> {
  // 1. Accept no new connections. Running requests continue.
  const closed = server && once(server, 'close');
  server?.close();
  // 2. At most 25 s: claim nothing, return unsent deliveries, let running attempts end.
  await worker?.close();
  // 3. At most 10 s: let running requests end, end event streams, close Paymount's connections.
  await paymount.close();
  // 4. End what is left, such as idle connections of clients and long requests of other routes.
  server?.closeAllConnections();
  await closed;
  probes.close();
  probes.closeAllConnections();
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());
