import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCommands } from './child.ts';

/** What arrived since the last reset. */
export interface Arrivals {
  readonly requests: number;
  /** Requests whose `webhook-id` had come to the same endpoint before. */
  readonly duplicates: number;
  /** When each event came last, in ms of the machine's monotonic clock, if that was asked for. */
  readonly atMs: ReadonlyMap<string, number>;
}

/** A merchant's server on many ports: reads each body and answers 200. */
const servers: Server[] = [];
let requests = 0;
let duplicates = 0;
let timed = false;
let seen = new Set<string>();
let atMs = new Map<string, number>();

function receive(request: IncomingMessage, response: ServerResponse): void {
  request.on('data', () => undefined);
  request.on('end', () => {
    requests += 1;
    const id = String(request.headers['webhook-id']);
    const delivery = `${id} ${request.socket.localPort}`;
    if (seen.has(delivery)) duplicates += 1;
    seen.add(delivery);
    if (timed) atMs.set(id, Number(process.hrtime.bigint()) / 1e6);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
  });
}

async function listen(count: number): Promise<readonly number[]> {
  for (let index = 0; index < count; index += 1) {
    const server = createServer(receive).listen(0, '127.0.0.1', 1024);
    server.keepAliveTimeout = 60_000;
    await once(server, 'listening');
    servers.push(server);
  }
  return servers.map((server) => (server.address() as AddressInfo).port);
}

function reset(withTimes: boolean): void {
  requests = 0;
  duplicates = 0;
  timed = withTimes;
  seen = new Set();
  atMs = new Map();
}

answerCommands({ listen, reset, arrivals: (): Arrivals => ({ requests, duplicates, atMs }) });
