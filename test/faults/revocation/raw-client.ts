import { connect, type Socket } from 'node:net';

const LIMIT_MS = 15_000;

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * Sends GET requests over connections that stay open. It does nothing else, because whoever asks
 * shares the machine with those who are asked.
 */
export class RawClient {
  readonly #port: number;
  readonly #idle: Wire[] = [];
  readonly #wires = new Set<Wire>();

  constructor(port: number) {
    this.#port = port;
  }

  /** @throws Error when the connection ends before the answer, or it does not come */
  async get(path: string, key: string): Promise<RawAnswer> {
    const wire = this.#idle.pop() ?? this.#dial();
    const answer = await wire.send(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    this.#idle.push(wire);
    return answer;
  }

  close(): void {
    for (const wire of this.#wires) wire.close();
  }

  #dial(): Wire {
    const wire = new Wire(connect(this.#port, '127.0.0.1'));
    this.#wires.add(wire);
    return wire;
  }
}

/** One connection; one request at a time. */
class Wire {
  readonly #socket: Socket;
  #text = '';
  #answered: (answer: RawAnswer) => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('error', (error) => this.#failed(error));
    socket.on('close', () => this.#failed(new Error('A connection ended without an answer.')));
  }

  send(request: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error(`No answer in ${LIMIT_MS} ms.`)), LIMIT_MS);
      this.#answered = (answer) => {
        clearTimeout(limit);
        resolve(answer);
      };
      this.#failed = (error) => {
        clearTimeout(limit);
        reject(error);
      };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#text += text;
    const end = this.#text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#text.slice(0, end);
    const length = Number(readHeader(head, 'content-length'));
    const body = this.#text.slice(end + 4);
    if (body.length < length) return;
    this.#text = '';
    this.#answered({ status: Number(head.slice(9, 12)), head, body });
  }
}

/** The value of a header, '' when there is none. */
export function readHeader(head: string, name: string): string {
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';
}
