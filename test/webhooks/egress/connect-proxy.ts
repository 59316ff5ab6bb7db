import { connect, type Socket } from 'node:net';
import { type Play, type RawServer, startRawServer } from './raw-server.ts';

/** An HTTP proxy on loopback, as a host runs one for its webhooks. */
export interface ConnectProxy extends RawServer {
  /** The head of each request. */
  readonly asked: readonly string[];
}

/**
 * Opens what `CONNECT` asks for, at this port of loopback whatever the name is.
 * @param respond the head that it answers; by default, it opens the connection
 */
export async function startConnectProxy(
  port: number,
  respond: (head: string) => string = () => 'HTTP/1.1 200 Connection established\r\n\r\n',
): Promise<ConnectProxy> {
  const asked: string[] = [];
  const play: Play = (socket) => {
    socket.once('data', (bytes: Buffer) => {
      const head = bytes.toString('latin1');
      asked.push(head);
      const response = respond(head);
      if (response.startsWith('HTTP/1.1 2')) join(socket, port, response);
      else socket.end(response);
    });
  };
  const server = await startRawServer(play);
  return {
    asked,
    port: server.port,
    url: `http://127.0.0.1:${server.port}`,
    get connections() {
      return server.connections;
    },
    close: () => server.close(),
  };
}

function join(client: Socket, port: number, response: string): void {
  const receiver = connect(port, '127.0.0.1', () => {
    client.write(response);
    client.pipe(receiver).pipe(client);
  });
  receiver.on('error', () => client.destroy());
  client.on('close', () => receiver.destroy());
}
