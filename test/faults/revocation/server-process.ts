// A server under test in a process of its own: the real mount, whose answers say when they were
// decided. Started by `server.ts`.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@paymount/core/kernel';
import express from 'express';
import { createPaymount } from 'paymount';
import {
  ANSWERED_AT,
  type Command,
  DECIDED_AT,
  machineMs,
  type ServerSettings,
} from './server-messages.ts';

const settings = JSON.parse(process.env['PAYMOUNT_REVOCATION_SERVER'] ?? '{}') as ServerSettings;
// Nobody is left to end this process when its parent is gone.
process.on('disconnect', () => process.exit(1));

// Most answers here are errors, and taking their stacks would cost more than the rest.
Error.stackTraceLimit = 0;
let steppedMs = 0;
let decidedMs = 0;
const startedMs = Date.now();
const silent = (): void => undefined;

const clock: Clock = {
  now: () => new Date(startedMs + (Date.now() - startedMs) * settings.clockRate + steppedMs),
  // The guard reads it in the turn in which it decides, and nobody after it until the answer.
  monotonicMs: () => {
    decidedMs = machineMs();
    return decidedMs * settings.clockRate;
  },
  get shiftMs() {
    return steppedMs;
  },
};
const paymount = await createPaymount({
  database: settings.databaseUrl,
  sealingKeys: settings.sealingKeys,
  clock,
  rateLimit: false,
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  // Without prepared statements it takes a pooler to be in between, and does not listen.
  preparedStatements: settings.listens,
  ...(settings.redisUrl && { redis: settings.redisUrl }),
});
const app = express();
app.use((_, response, next) => {
  stamp(response);
  next();
});
app.use(paymount.router({ environment: 'test' }));
const server = app.listen(0, '127.0.0.1');
server.keepAliveTimeout = 60_000;
await once(server, 'listening');
process.on('message', (command: Command) => carryOut(command));
process.send?.({ port: (server.address() as AddressInfo).port });

function stamp(response: ServerResponse): void {
  const { writeHead } = response;
  response.writeHead = ((...parameters: Parameters<typeof writeHead>) => {
    response.setHeader(DECIDED_AT, decidedMs);
    response.setHeader(ANSWERED_AT, machineMs());
    return writeHead.apply(response, parameters);
  }) as typeof writeHead;
}

function carryOut(command: Command): void {
  switch (command.do) {
    case 'block':
      for (const endMs = machineMs() + command.ms; machineMs() < endMs; );
      return;
    case 'stepWall':
      steppedMs += command.ms;
      return;
    case 'stop':
      server.close();
      server.closeAllConnections();
      void paymount.close().finally(() => process.disconnect());
  }
}
