import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express, type Request } from 'express';
import knex from 'knex';
import { BANK_CARDS, type BankRequest, type FollowUp, HouseBankBook } from './house-bank-book.ts';
import { readFields } from './read-fields.ts';

/** A running bank. */
export interface HouseBankServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  close(): Promise<void>;
}

const FOLLOW_UPS: readonly string[] = ['captures', 'voids', 'refunds'] satisfies FollowUp[];

/**
 * Simulates the acquiring bank of the live environment: a real HTTP server with its own books.
 * @param key requests without it as a bearer token get 401
 */
export async function startHouseBank(options: {
  readonly databaseUrl: string;
  readonly key: string;
}): Promise<HouseBankServer> {
  const database = knex({
    client: 'pg',
    connection: options.databaseUrl,
    pool: { min: 0, max: 10 },
  });
  const book = new HouseBankBook(database);
  await book.createTables();
  const server = createServer(bankApp(book, options.key));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${requirePort(server.address())}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await database.destroy();
    },
  };
}

function bankApp(book: HouseBankBook, key: string): Express {
  const app = express();
  app.use((request, response, next) => {
    if (request.get('authorization') === `Bearer ${key}`) next();
    else response.sendStatus(401);
  });
  app.use(express.json());

  app.get('/cards/:token', (request, response) => {
    const card = BANK_CARDS[request.params.token];
    if (card === undefined) response.sendStatus(404);
    else response.json({ brand: card.brand, last4: card.last4 });
  });

  app.get('/operations/:id', async (request, response) => {
    const answer = await book.find(request.params.id);
    if (answer === undefined) response.sendStatus(404);
    else response.json(answer);
  });

  app.post('/payments', async (request, response) => {
    const { card: token, capture } = readFields(request);
    const card = BANK_CARDS[String(token)];
    if (card === undefined) {
      response.sendStatus(404);
      return;
    }
    const answer = await book.pay(toBankRequest(request), card, capture === true);
    // The money has moved, but the caller gets no response: this simulates a timeout.
    if (card.slow !== true) response.json(answer);
  });

  app.post('/payments/:id/:kind', async (request, response) => {
    const { id, kind } = request.params;
    if (!isFollowUp(kind)) response.sendStatus(404);
    else response.json(await book.follow(toBankRequest(request), kind, id));
  });
  return app;
}

function toBankRequest(request: Request): BankRequest {
  const { amount, currency } = readFields(request);
  return {
    operationId: request.get('idempotency-key') ?? '',
    amount: Number(amount),
    currency: String(currency),
  };
}

function isFollowUp(kind: string): kind is FollowUp {
  return FOLLOW_UPS.includes(kind);
}

function requirePort(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('This is no TCP server.');
  return address.port;
}
