import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { authorizeRoute, createGuard } from '@paymount/auth';
import { DispatchHub, type Principal } from '@paymount/core';
import { createPostgresStorage } from '@paymount/storage-postgres';
import express, { type Response } from 'express';
import { systemClock } from './bench-clock.ts';
import { answerCommands } from './child.ts';
import { silentLogger } from './silent-logger.ts';

/** An Express app that says hello: behind the whole guard when it is given a database, or bare. */
const HELLO = { object: 'hello', message: 'Hello, world', livemode: false };
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
  const guard = createGuard({
    credentials: postgres.credentials,
    clock: systemClock,
    logger: silentLogger,
  });
  app.get('/hello', (request, response, next) => {
    const admitted = guard.authenticate(
      {
        headersDistinct: request.headersDistinct,
        url: request.originalUrl,
        remoteAddress: request.socket.remoteAddress,
      },
      'test',
    );
    // A cached key is decided about in the same turn; only a look-up is waited for.
    if (admitted instanceof Promise) {
      admitted.then((principal) => sayHello(principal, response)).catch(next);
    } else sayHello(admitted, response);
  });
}
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
server.keepAliveTimeout = 60_000;

answerCommands({ port: () => (server.address() as AddressInfo).port }, async () => {
  server.closeAllConnections();
  await postgres?.close();
});
