import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '@paymount/core/kernel';
import { type BankAnswer, type BankRequest, DECLINED_CARD, type JournalLine } from './journal.ts';
import type { SeededRandom } from './seeded-random.ts';

/** A bank behind loopback HTTP; what it did is in its journal and nowhere else. */
export interface Bank {
  readonly url: string;
  /** In the order in which it acted. */
  readonly journal: readonly JournalLine[];
  /** From now on it answers at once; connections on which an answer is owed are cut. */
  calmDown(): void;
  close(): Promise<void>;
}

/** How one request is treated. */
type Manner = 'prompt' | 'late act' | 'late answer' | 'act and hang' | 'act and cut' | 'cut';

/** Out of 100 requests. */
const MANNERS: readonly (readonly [share: number, manner: Manner])[] = [
  [72, 'prompt'],
  [8, 'late act'],
  [8, 'late answer'],
  [3, 'act and hang'],
  [5, 'act and cut'],
  [4, 'cut'],
];
const PROMPT_MS = 40;
const LATE_MS = 1_500;
/** Look-ups that are cut while the bank is not calm. */
const LOOKUP_CUTS = 0.1;
/** Captured funds become available so late, and are released while the run goes on. */
const AVAILABLE_MS = [500, 20_000] as const;
const MAX_FEE = 3;

/**
 * Opens a bank with two faces. At `/test` an operation that is submitted twice is executed once;
 * at `/live` it is executed twice, as with a processor without idempotency keys.
 */
export async function openBank(random: SeededRandom): Promise<Bank> {
  const done = new Map<string, BankAnswer>();
  const journal: JournalLine[] = [];
  const owed = new Set<ServerResponse>();
  let isCalm = false;

  function act(environment: Environment, request: BankRequest): BankAnswer {
    const known = done.get(request.operationId);
    if (known !== undefined && environment === 'test') return known;
    const { card, ...asked } = request;
    const verdict = card === DECLINED_CARD && asked.kind === 'authorize' ? 'declined' : 'approved';
    const takes = asked.kind === 'capture' || (asked.kind === 'authorize' && asked.capture);
    const fee =
      takes && verdict === 'approved' && asked.amount > MAX_FEE ? random.between(0, MAX_FEE) : 0;
    const line: JournalLine = { ...asked, environment, verdict, fee };
    journal.push(line);
    const availableOn = new Date(Date.now() + random.between(...AVAILABLE_MS)).toISOString();
    const answer = known ?? { ...line, reference: `bank_${journal.length}`, availableOn };
    done.set(line.operationId, answer);
    return answer;
  }

  async function submit(
    environment: Environment,
    request: BankRequest,
    response: ServerResponse,
  ): Promise<void> {
    const manner = isCalm ? 'prompt' : chooseManner(random.next());
    if (manner === 'cut') return void response.destroy();
    await wait(random.between(0, manner === 'late act' ? LATE_MS : PROMPT_MS));
    const answer = act(environment, request);
    if (manner === 'act and cut') return void response.destroy();
    if (manner === 'act and hang') return;
    if (manner === 'late answer') await wait(LATE_MS);
    reply(response, 200, answer);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    owed.add(response);
    response.on('close', () => owed.delete(response));
    const [, environment, operationId] = (request.url ?? '').split('/');
    if (request.method === 'POST') {
      return submit(environment as Environment, await readJson<BankRequest>(request), response);
    }
    if (!isCalm && random.chance(LOOKUP_CUTS)) return void response.destroy();
    const known = done.get(String(operationId));
    reply(response, known === undefined ? 404 : 200, known ?? {});
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    journal,
    calmDown() {
      isCalm = true;
      for (const response of owed) response.destroy();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function chooseManner(share: number): Manner {
  let rest = share * 100;
  for (const [weight, manner] of MANNERS) {
    rest -= weight;
    if (rest < 0) return manner;
  }
  return 'prompt';
}

function reply(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readJson<Shape>(request: IncomingMessage): Promise<Shape> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Shape;
}
