import { connect, type Socket } from 'node:net';

/** Sends GETs over kept connections, the next on each once the last was answered. */
export interface RequestLoop {
  /** @throws Error when an answer is not 200 */
  run(requests: number): Promise<void>;
  close(): void;
}

/**
 * A loop in the process that calls it, so that it can change sides between two requests. The
 * answers have to be short, so that each comes in one piece, and end in `}`.
 * @param path asked with each key in turn
 */
export function openRequestLoop(
  port: number,
  load: { readonly path: string; readonly keys: readonly string[]; readonly connections: number },
): RequestLoop {
  const requests = load.keys.map((key) =>
    Buffer.from(
      `GET ${load.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    ),
  );
  const sockets = Array.from({ length: load.connections }, () => connect(port, '127.0.0.1'));
  let next = 0;
  const send = (socket: Socket): void => {
    next = (next + 1) % requests.length;
    socket.write(requests[next] ?? '');
  };
  return {
    run: (count) =>
      new Promise((resolve, reject) => {
        let [left, open] = [count, 0];
        const begin = (socket: Socket): void => {
          left -= 1;
          open += 1;
          send(socket);
        };
        for (const socket of sockets) {
          socket.removeAllListeners('error').once('error', reject);
          socket.removeAllListeners('data').on('data', (bytes: Buffer) => {
            if (bytes.toString('latin1', 9, 12) !== '200') reject(new Error(bytes.toString()));
            if (bytes.at(-1) !== '}'.charCodeAt(0)) return;
            open -= 1;
            if (left > 0) begin(socket);
            else if (open === 0) resolve();
          });
          if (left > 0) begin(socket);
        }
      }),
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
