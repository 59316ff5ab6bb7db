// A host in a process of its own: the mount, the worker, and a crash plan. Started by `host.ts`.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createPaymount } from 'paymount';
import { startWorker, type Worker } from 'paymount/worker';
import { fakeClock } from '../support/clock.ts';
import { fakeLogin } from '../support/fake-login.ts';
import { toCrashPoint } from './crash-plan.ts';
import type { Command, HostSettings, Reply } from './host-messages.ts';
import { openShop } from './money/shop.ts';

const settings = JSON.parse(process.env['PAYMOUNT_FAULT_HOST'] ?? '{}') as HostSettings;
let stopping: Promise<void> | undefined;
// Nobody is left to end this process when its parent is gone.
process.on('disconnect', () => process.exit(stopping === undefined ? 1 : 0));
// It may be gone already: the event is not repeated for a late listener.
if (!process.connected) process.exit(1);

const clock = fakeClock();
clock.advance(settings.shiftMs ?? 0);
const shop = settings.shop ? openShop(settings.databaseUrl, settings.shop) : undefined;
const paymount = await createPaymount({
  database: settings.databaseUrl,
  sealingKeys: settings.sealingKeys,
  clock,
  crashPoint: toCrashPoint(settings.crash),
  rateLimit: false,
  ...(settings.smtp
    ? { mail: { smtp: settings.smtp, from: 'Payments <payments@shop.example>' } }
    : { mailer: false }),
  egress: {
    allowedNetworks: ['127.0.0.0/8'],
    ports: 'any',
    ...(settings.ca && { ca: settings.ca }),
  },
  ...(settings.redisUrl && { redis: settings.redisUrl }),
  ...shop?.options,
});
const app = express();
if (shop) app.use(shop.routes(paymount));
const { identity } = fakeLogin();
app.use(paymount.oauthRouter({ environment: 'test', issuer: 'https://pay.example.com', identity }));
app.use(paymount.router({ environment: 'test' }));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
let worker: Worker | undefined;

process.on('message', (command: Command) => {
  void carryOut(command).then(
    () => reply({ id: command.id }),
    (error: unknown) => reply({ id: command.id, error: String(error) }),
  );
});
// So operators and their supervisors end a process.
process.on('SIGTERM', () => {
  stopping ??= stop();
});
// A worker may die of its crash plan as soon as it starts, and the parent must know the port.
const { worker: workerOptions, crash } = settings;
if (crash) announce();
if (workerOptions) worker = await startWorker(paymount, workerOptions);
if (!crash) announce();

function announce(): void {
  reply({ id: 0, port: (server.address() as AddressInfo).port });
}

async function carryOut(command: Command): Promise<void> {
  switch (command.do) {
    case 'advance':
      clock.advance(command.ms);
      return;
    case 'drain':
      await worker?.drain();
      return;
    case 'work':
      worker = await startWorker(paymount, command.options);
      return;
    case 'rest':
      await worker?.close();
      worker = undefined;
  }
}

async function stop(): Promise<void> {
  server.close();
  server.closeIdleConnections();
  await worker?.close();
  await paymount.close();
  await shop?.close();
  server.closeAllConnections();
  setImmediate(() => process.disconnect());
}

function reply(message: Reply): void {
  process.send?.(message);
}
