// A process with receivers, one a port: `node receivers-process.js KIND...`. It sends its ports.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What a receiver does with a connection. */
const RECEIVERS = {
  healthy: onRequest((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  }),
  silent: () => undefined,
  no_tls: () => undefined,
  header_drip: onRequest((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ');
    drip(socket, 'x');
  }),
  announcing: onRequest((socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n')),
  body_drip: onRequest((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
    drip(socket, 'x');
  }),
  endless_body: onRequest((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n');
    flood(socket, 'x');
  }),
  endless_extension: onRequest((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;');
    flood(socket, 'x');
  }),
  endless_announcements: onRequest((socket) =>
    flood(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  ),
} as const;

/** The kinds of receivers. */
export type ReceiverKind = keyof typeof RECEIVERS;

const DRIP_MS = 250;
const FLOOD_BYTES = 65_536;

function onRequest(respond: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => socket.on('data', () => respond(socket));
}

function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), DRIP_MS);
  socket.on('close', () => clearInterval(timer));
}

function flood(socket: Socket, text: string): void {
  const many = Buffer.from(text.repeat(Math.ceil(FLOOD_BYTES / text.length)));
  const pump = (): void => {
    while (!socket.destroyed && socket.write(many));
  };
  socket.on('drain', pump);
  pump();
}

async function listen(kind: ReceiverKind): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    RECEIVERS[kind](socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

if (process.send !== undefined) {
  const kinds = process.argv.slice(2) as ReceiverKind[];
  process.send(await Promise.all(kinds.map(listen)));
  process.on('disconnect', () => process.exit(0));
}
