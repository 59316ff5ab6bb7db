import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { answerCommands } from './child.ts';
import { bareApp, guardedApp } from './hello-app.ts';

/** A server that says hello: behind the whole guard when it is given a database, or bare. */
const connection = process.env['BENCH_DATABASE_URL'];

const guarded = connection === undefined ? undefined : guardedApp(connection);
const server = (guarded?.app ?? bareApp()).listen(0, '127.0.0.1');
await once(server, 'listening');
server.keepAliveTimeout = 60_000;

answerCommands({ port: () => (server.address() as AddressInfo).port }, async () => {
  server.closeAllConnections();
  await guarded?.close();
});
