// A process with receivers of merchants: `node merchant-receivers-process.js COUNT`, one a port. It
// sends its ports, and then what has arrived at those that answer.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a receiver does with a request. */
export type Manner = 'answering' | 'late' | 'silent' | 'endless_body' | 'body_drip' | 'header_drip';

/** From now on these receivers have other manners. */
export interface MannersMessage {
  readonly manners: readonly Manner[];
}

/** The object of an event, and when it arrived: `process.hrtime`, which all processes share. */
export type Arrival = readonly [objectId: string, atMs: number];

const DRIP_MS = 250;
/** Just before an endpoint counts as slow. */
const LATE_MS = 2_900;
const REPORT_MS = 100;
const FLOOD = Buffer.alloc(65_536, 'x');

let manners: readonly Manner[] = [];
let arrivals: Arrival[] = [];

const ANSWERS: Readonly<Record<Manner, (response: ServerResponse) => void>> = {
  answering: (response) => response.end(),
  late: (response) => void setTimeout(() => response.end(), LATE_MS),
  silent: () => undefined,
  endless_body(response) {
    response.writeHead(200);
    const pump = (): void => {
      while (!response.destroyed && response.write(FLOOD));
    };
    response.on('drain', pump);
    pump();
  },
  body_drip(response) {
    response.writeHead(200);
    drip(response, () => response.write('x'));
  },
  header_drip(response) {
    response.socket?.write('HTTP/1.1 200 OK\r\nx: ');
    drip(response, () => response.socket?.write('x'));
  },
};

function drip(response: ServerResponse, write: () => void): void {
  const timer = setInterval(write, DRIP_MS);
  response.on('close', () => clearInterval(timer));
}

async function answer(
  at: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const atMs = Number(process.hrtime.bigint()) / 1e6;
  response.on('error', () => undefined);
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const manner = manners[at] ?? 'answering';
  if (manner === 'answering') {
    const event: { readonly data: { readonly object: { readonly id: string } } } = JSON.parse(body);
    arrivals.push([event.data.object.id, atMs]);
  }
  ANSWERS[manner](response);
}

async function listen(at: number): Promise<number> {
  const server = createServer((request, response) => {
    answer(at, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

if (process.send !== undefined) {
  const count = Number(process.argv[2]);
  process.send(await Promise.all(Array.from({ length: count }, (_, at) => listen(at))));
  process.on('message', (message: MannersMessage) => {
    manners = message.manners;
  });
  setInterval(() => {
    if (arrivals.length === 0) return;
    process.send?.(arrivals);
    arrivals = [];
  }, REPORT_MS);
  process.on('disconnect', () => process.exit(0));
}
