import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createPaymount } from 'paymount';
import { answerCommands } from './child.ts';
import { instantProcessor } from './instant-processor.ts';
import { SEALING_KEYS } from './seeds.ts';
import { silentLogger } from './silent-logger.ts';

/** A host's app with Paymount mounted, whose processor answers at once. */
const paymount = await createPaymount({
  database: process.env['BENCH_DATABASE_URL'] ?? '',
  poolSize: Number(process.env['BENCH_CONNECTIONS']),
  processors: { test: instantProcessor },
  sealingKeys: SEALING_KEYS,
  rateLimit: false,
  logger: silentLogger,
});
const app = express();
app.use(paymount.router({ environment: 'test' }));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');

answerCommands({ port: () => (server.address() as AddressInfo).port }, async () => {
  server.closeAllConnections();
  await paymount.close();
});
