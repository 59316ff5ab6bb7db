import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { UndoStack } from './undo-stack.ts';

/** An HTTP server on a port of this machine. */
export interface Origin {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** Ports that were in use and were skipped. */
  readonly taken: readonly number[];
  /** The request handler; until it is set, requests get 503. */
  serve(listener: RequestListener): void;
}

const PORTS_TRIED = 50;
const LAST_PORT = 65_535;

/**
 * Listens on the first free port from `from` on; 0 means any port.
 * @throws Error if 50 consecutive ports are in use
 */
export async function openOrigin(from: number, undo: UndoStack): Promise<Origin> {
  let answer: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  const taken: number[] = [];
  for (let port = from; taken.length < PORTS_TRIED && port <= LAST_PORT; port += 1) {
    const found = await listen(server, port);
    if (found === undefined) {
      taken.push(port);
      continue;
    }
    undo.push(() => stop(server));
    return {
      url: `http://127.0.0.1:${found}`,
      port: found,
      taken,
      serve(listener) {
        answer = listener;
      },
    };
  }
  throw new Error(`Ports ${from} to ${taken.at(-1)} are taken; set PORT to another.`);
}

/** @returns the port, or undefined if it is in use */
async function listen(server: Server, port: number): Promise<number | undefined> {
  server.listen({ port, host: '127.0.0.1', exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE' || code === 'EACCES') return undefined;
    throw error;
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
