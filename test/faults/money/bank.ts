import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '@paymount/core/kernel';
import { BankLife } from './bank-life.ts';
import {
  type Aftermath,
  type BankAnswer,
  type BankRequest,
  DEBITED_ACCOUNT,
  DECLINED_CARD,
  type JournalLine,
} from './journal.ts';
import { Postman } from './postman.ts';
import type { SeededRandom } from './seeded-random.ts';

/**
 * A bank behind loopback HTTP, in a process that no fault hits; what it did is in its journal and
 * nowhere else.
 */
export interface Bank {
  readonly url: string;
  /** In the order in which it acted. */
  readonly journal: readonly JournalLine[];
  readonly aftermath: Aftermath;
  /** Notices that were refused. */
  readonly violations: readonly string[];
  /** How many notices were taken. */
  readonly delivered: number;
  /** Begins to report. @param apis where notices are taken, at the time */
  reportTo(apis: () => readonly string[]): void;
  /**
   * From now on it answers and reports at once, and all that has begun ends; connections on which an
   * answer is owed are cut.
   */
  calmDown(): void;
  /** How much goes on, and how many notices are not delivered. */
  unfinished(): number;
  close(): Promise<void>;
}

/** How one request is treated. */
type Manner = 'prompt' | 'late act' | 'late answer' | 'act and hang' | 'act and cut' | 'cut';

/** Out of 100 requests. */
type Manners = readonly (readonly [share: number, manner: Manner])[];
const MANNERS: Manners = [
  [72, 'prompt'],
  [8, 'late act'],
  [8, 'late answer'],
  [3, 'act and hang'],
  [5, 'act and cut'],
  [4, 'cut'],
];
/** Of a bank that must lead an adapter astray, however few requests a slow machine has time for. */
export const OFTEN_SILENT: Manners = [
  [60, 'prompt'],
  [40, 'act and cut'],
];
const PROMPT_MS = 40;
const LATE_MS = 1_500;
/** Look-ups that are cut while the bank is not calm. */
const LOOKUP_CUTS = 0.1;
/** Captured funds become available so late, and are released while the run goes on. */
const AVAILABLE_MS = [100, 5_000] as const;
/** Longer than a run: only a notice tells the end earlier. */
const EXPECTED_MS = 3 * 60 * 60_000;
const MAX_FEE = 3;
/** Payouts that are not handed to a bank at once. */
const SHARE_IN_TRANSIT = 0.4;

type Mutable<Facts> = { -readonly [Key in keyof Facts]: Facts[Key] };

/**
 * Opens a bank with two faces. At `/test` an operation that is submitted twice is executed once;
 * at `/live` it is executed twice, as with a processor without idempotency keys.
 */
export async function openBank(random: SeededRandom, manners = MANNERS): Promise<Bank> {
  const done = new Map<string, Mutable<BankAnswer>>();
  const journal: JournalLine[] = [];
  const owed = new Set<ServerResponse>();
  const postman = new Postman(random);
  const life = new BankLife(random, postman);
  let isCalm = false;

  function verdictOf({ kind, account }: BankRequest): JournalLine['verdict'] {
    if (kind === 'authorize' && account === DECLINED_CARD) return 'declined';
    if (kind === 'authorize' && account.startsWith(DEBITED_ACCOUNT)) return 'pending';
    return kind === 'payout' && random.chance(SHARE_IN_TRANSIT) ? 'pending' : 'approved';
  }

  function act(environment: Environment, request: BankRequest): BankAnswer {
    const known = done.get(request.operationId);
    if (known !== undefined && environment === 'test') return known;
    const { account: _, ...asked } = request;
    const verdict = verdictOf(request);
    const takes = asked.kind === 'capture' || (asked.kind === 'authorize' && asked.capture);
    const fee =
      takes && verdict === 'approved' && asked.amount > MAX_FEE ? random.between(0, MAX_FEE) : 0;
    const now = Date.now();
    const answer: Mutable<BankAnswer> = {
      ...asked,
      environment,
      verdict,
      fee,
      reference: `bank_${journal.length + 1}`,
      availableOn: new Date(now + random.between(...AVAILABLE_MS)).toISOString(),
      expectedBy: new Date(now + EXPECTED_MS).toISOString(),
    };
    // The same object: a debit that clears changes its line.
    journal.push(answer);
    if (known !== undefined) return known;
    done.set(answer.operationId, answer);
    life.follow(answer);
    return answer;
  }

  async function submit(
    environment: Environment,
    request: BankRequest,
    response: ServerResponse,
  ): Promise<void> {
    const manner = isCalm ? 'prompt' : chooseManner(manners, random.next());
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
    aftermath: life.aftermath,
    violations: postman.violations,
    get delivered() {
      return postman.delivered;
    },
    reportTo: (apis) => postman.open(apis),
    calmDown() {
      isCalm = true;
      life.hurry();
      postman.hurry();
      for (const response of owed) response.destroy();
    },
    unfinished: () => life.running + postman.waiting,
    async close() {
      await postman.close();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function chooseManner(manners: Manners, share: number): Manner {
  let rest = share * 100;
  for (const [weight, manner] of manners) {
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
