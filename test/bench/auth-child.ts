import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  authorizeRoute,
  ClientAddresses,
  createGuard,
  createLimits,
  holdsCredential,
  UsageRecorder,
} from '@paymount/auth';
import { DispatchHub, PaymountError, type Principal } from '@paymount/core';
import { createPostgresStorage } from '@paymount/storage-postgres';
import express, { type Request, type Response } from 'express';
import { systemClock } from './bench-clock.ts';
import { answerCommands } from './child.ts';
import { silentLogger } from './silent-logger.ts';

/** An Express app that says hello: behind the whole guard when it is given a database, or bare. */
const HELLO = { object: 'hello', message: 'Hello, world', livemode: false };
/** Counted as ever, but never refused. */
const FAST = { requests: 1e9, seconds: 1 };
const connection = process.env['BENCH_DATABASE_URL'];

const app = express();
function sayHello(principal: Principal, response: Response): void {
  authorizeRoute(principal, { scope: 'charges:read' });
  response.json(HELLO);
}
const postgres =
  connection === undefined
    ? undefined
    : createPostgresStorage({ connection, dispatch: new DispatchHub() });
if (postgres === undefined) {
  app.get('/hello', (_request, response) => {
    response.json(HELLO);
  });
} else {
  const ports = { clock: systemClock, logger: silentLogger };
  const clients = new ClientAddresses();
  const rates = { live: FAST, test: FAST };
  const limits = createLimits({ key: rates, account: rates }, ports);
  const usage = new UsageRecorder({ usage: postgres.usage, ...ports });
  const guard = createGuard({ credentials: postgres.credentials, limits, ...ports });
  // As the router of Paymount does it: step 9, its headers, and a note of the use.
  const countAndAnswer = (
    principal: Principal,
    { address, headers }: { readonly address: string | undefined } & Pick<Request, 'headers'>,
    response: Response,
  ): void => {
    const counted = limits.countRequest(principal, address);
    if (counted === undefined || counted instanceof Promise) throw new Error('It was not counted.');
    for (const [name, value] of Object.entries(counted.headers)) response.setHeader(name, value);
    sayHello(principal, response);
    if (principal.kind !== 'key') return;
    const userAgent = headers['user-agent'];
    usage.record(principal.keyId, { status: 200, address, userAgent, namesAddresses: true });
  };
  app.get('/hello', (request, response, next) => {
    const address = clients.ofRequest(request);
    if (holdsCredential(request.originalUrl)) throw new PaymountError('key_in_url');
    const asked = { rawHeaders: request.rawHeaders, address };
    const from = { address, headers: request.headers };
    const admitted = guard.authenticate(asked, 'test');
    // A cached key is decided about in the same turn; only a look-up is waited for.
    if (admitted instanceof Promise) {
      admitted.then((principal) => countAndAnswer(principal, from, response)).catch(next);
    } else countAndAnswer(admitted, from, response);
  });
}
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
server.keepAliveTimeout = 60_000;

answerCommands({ port: () => (server.address() as AddressInfo).port }, async () => {
  server.closeAllConnections();
  await postgres?.close();
});
