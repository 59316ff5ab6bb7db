import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { conditions } from './conditions.ts';

/** One block of a stream of server-sent events, by the names of its lines; a comment is `''`. */
export type Block = Readonly<Record<string, string>>;

/** A client that reads a stream block by block. */
export interface StreamClient {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Everything received so far. */
  readonly text: string;
  /** Blocks that were received and hold data, in order. */
  readonly events: readonly Block[];
  /** Waits until as many blocks with data have arrived in all. @throws Error after 5 s */
  waitFor(count: number): Promise<readonly Block[]>;
  /** Waits until what was received matches. @throws Error after 5 s */
  until(pattern: RegExp): Promise<void>;
  /** Resolves once the server has ended the answer. @throws Error after 5 s */
  readonly ended: () => Promise<void>;
  close(): void;
}

const DEADLINE_MS = 5_000;

/** Opens a stream and waits for its head. */
export async function openStream(
  url: string,
  key: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<StreamClient> {
  const request = httpRequest(url, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    agent: false,
  });
  request.on('error', () => undefined);
  request.end();
  const [response]: [IncomingMessage] = (await once(request, 'response')) as never;
  let text = '';
  let rest = '';
  const events: Block[] = [];
  let ended = false;
  const { check, until } = conditions(DEADLINE_MS);
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    const blocks = (rest + part).split('\n\n');
    rest = blocks.pop() ?? '';
    events.push(...blocks.map(parseBlock).filter((block) => 'data' in block));
    check();
  });
  response.on('error', () => undefined);
  response.on('close', () => {
    ended = true;
    check();
  });
  const condition = (holds: () => boolean, what: string): Promise<void> =>
    until(holds, () => `${what} within ${DEADLINE_MS} ms; received: ${text.slice(0, 2_000)}`);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    get text() {
      return text;
    },
    events,
    async waitFor(count) {
      await condition(() => events.length >= count, `No ${count} events`);
      return events;
    },
    until: (pattern) => condition(() => pattern.test(text), `Nothing matches ${pattern}`),
    ended: () => condition(() => ended, 'No end'),
    close: () => request.destroy(),
  };
}

function parseBlock(text: string): Block {
  return Object.fromEntries(
    text.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    }),
  );
}
