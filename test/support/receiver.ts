import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Answer, answer, type ReceivedRequest } from './receiver-answers.ts';
import { testCertificate } from './test-certificate.ts';

export type { Answer, ReceivedRequest };

/** A real HTTP(S) server on loopback that answers by script. */
export interface Receiver {
  /** `http://127.0.0.1:<port>`, or `https://localhost:<port>`. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly ReceivedRequest[];
  /** Connections accepted so far, whether or not a request followed. */
  readonly connections: number;
  /** Appends to the script: one answer per request. */
  script(...answers: readonly Answer[]): void;
  /** What follows when the script is used up; 200 at first. */
  otherwise(answer: Answer): void;
  /** From now on answers 200 once the returned function was called. */
  holdAnswers(): () => void;
  /** Waits until `count` requests have arrived in all. @throws Error after `deadlineMs` */
  waitFor(count: number, deadlineMs?: number): Promise<readonly ReceivedRequest[]>;
  /** Cuts every connection and stops listening. Twice is harmless. */
  close(): Promise<void>;
}

/** How a receiver listens; it answers 200 unless told otherwise. */
export interface ReceiverOptions {
  /** HTTPS with the certificate of `test-certificate.ts`, or with the given settings. */
  readonly tls?: boolean | https.ServerOptions;
  /** @defaultValue a free one */
  readonly port?: number;
  readonly script?: readonly Answer[];
}

/** Starts a receiver; `close()` it in `after`. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const script: Answer[] = [...(options.script ?? [])];
  const waiting = new Set<() => void>();
  let rest: Answer = 200;
  let connections = 0;

  const server = createServer(options.tls, async (incoming, response) => {
    const request = await record(incoming);
    if (!request) return;
    requests.push(request);
    const next = script.shift() ?? rest;
    for (const check of waiting) check();
    await answer(next, request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: options.tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    script: (...answers) => void script.push(...answers),
    otherwise(next) {
      rest = next;
    },
    holdAnswers() {
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      rest = async () => {
        await released;
        return 200;
      };
      return release;
    },
    waitFor: (count, deadlineMs = 5_000) => untilCount(requests, waiting, count, deadlineMs),
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function createServer(
  tls: ReceiverOptions['tls'],
  listener: (incoming: http.IncomingMessage, response: http.ServerResponse) => Promise<void>,
): http.Server | https.Server {
  const handle = (incoming: http.IncomingMessage, response: http.ServerResponse): void => {
    listener(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  };
  if (!tls) return http.createServer(handle);
  return https.createServer({ ...testCertificate, ...(tls === true ? {} : tls) }, handle);
}

/** @returns undefined when the sender went away before the end of the body */
async function record(incoming: http.IncomingMessage): Promise<ReceivedRequest | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    body: Buffer.concat(chunks),
    receivedAtMs: performance.now(),
    socket: incoming.socket,
  };
}

function untilCount(
  requests: readonly ReceivedRequest[],
  waiting: Set<() => void>,
  count: number,
  deadlineMs: number,
): Promise<readonly ReceivedRequest[]> {
  if (requests.length >= count) return Promise.resolve(requests);
  return new Promise((resolve, reject) => {
    const check = (): void => {
      if (requests.length < count) return;
      clearTimeout(deadline);
      waiting.delete(check);
      resolve(requests);
    };
    const deadline = setTimeout(() => {
      waiting.delete(check);
      const arrived = `${requests.length} of ${count} requests arrived within ${deadlineMs} ms`;
      reject(new Error(`The receiver waited in vain: ${arrived}`));
    }, deadlineMs);
    waiting.add(check);
  });
}
