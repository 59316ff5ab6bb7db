import type { Environment } from '@paymount/core/kernel';
import express, { type Request, type Response, type Router } from 'express';
import createKnex, { type Knex } from 'knex';
import {
  type Acting,
  type HookPayload,
  type Paymount,
  PaymountError,
  type PaymountOptions,
} from 'paymount';
import type { ShopSettings } from '../host-messages.ts';
import { BankProcessor } from './bank-processor.ts';
import type { ShopAnswer, ShopOrder, ShopRequest } from './shop-messages.ts';

/**
 * The host's own tables. `marks` has one text for each result that the hook was told of. `others` are
 * disputes and payouts.
 */
export const SHOP_TABLES = `
  CREATE SCHEMA shop;
  CREATE TABLE shop.orders (
    id text PRIMARY KEY, charge text, state text NOT NULL, captured bigint NOT NULL DEFAULT 0,
    refunded bigint NOT NULL DEFAULT 0, marks text[] NOT NULL DEFAULT '{}'
  );
  CREATE TABLE shop.others (id text PRIMARY KEY, state text NOT NULL, marks text[] NOT NULL);
  CREATE TABLE shop.returns (id text PRIMARY KEY, order_id text NOT NULL, refund text NOT NULL);`;

/** A host's own code around Paymount: tables, transactions, a hook, an adapter. */
export interface Shop {
  readonly options: Partial<PaymountOptions>;
  /** `/live`, and what the host's own code does by `using(trx)`: POST `/shop`. */
  routes(paymount: Paymount): Router;
  close(): Promise<void>;
}

/** An order whose metadata say `slow` takes the hook so long. */
const SLOW_HOOK_SECONDS = 0.1;
const POOL_SIZE = 10;
const ACQUIRE_LIMIT_MS = 10_000;

/** Opens the shop of one host process. */
export function openShop(databaseUrl: string, settings: ShopSettings): Shop {
  const knex = createKnex({
    client: 'pg',
    connection: databaseUrl,
    pool: { min: 0, max: POOL_SIZE },
    acquireConnectionTimeout: ACQUIRE_LIMIT_MS,
  });
  const processorOf = (environment: Environment) => new BankProcessor(settings, environment);
  return {
    options: {
      processors: { test: processorOf('test'), live: processorOf('live') },
      hook: grumpily(writeRows),
      ...(settings.sharesKnex && { database: knex }),
    },
    routes(paymount) {
      const router = express.Router();
      router.use('/live', paymount.router({ environment: 'live', requireTls: false }));
      for (const environment of ['test', 'live'] as const) {
        const notices = paymount.noticeRouter({ environment, requireTls: false });
        router.use(`/notices/${environment}`, notices);
      }
      router.post('/shop', express.json(), async (request: Request, response: Response) => {
        const { status, ...answer } = await serve(knex, paymount, request.body as ShopRequest);
        response.status(status).json(answer);
      });
      return router;
    },
    close: () => knex.destroy(),
  };
}

type Hook = (trx: Knex.Transaction, settled: HookPayload) => Promise<void>;

/** What the hook writes of a result, and how the metadata want it to be treated. */
interface Told {
  readonly mark: string;
  /** The same each time that it is tried: a dispute that was not written gets another id. */
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * A hook that throws when this process tells it something grumpy for the first time, after it has
 * written: then nothing of it may stay.
 */
function grumpily(hook: Hook): Hook {
  const known = new Set<string>();
  return async (trx, settled) => {
    await hook(trx, settled);
    const { name, metadata } = toTold(settled);
    if (metadata['grumpy'] === undefined || known.has(name)) return;
    known.add(name);
    throw new Error('The shop is not ready.');
  };
}

/** The hook: the host's rows say what became of charges, refunds, disputes and payouts. */
async function writeRows(trx: Knex.Transaction, settled: HookPayload): Promise<void> {
  // Nobody is billed in this run.
  if (settled.kind === 'invoice' || settled.kind === 'subscription') return;
  const { metadata } = toTold(settled);
  if (metadata['slow'] !== undefined) await trx.raw(`SELECT pg_sleep(${SLOW_HOOK_SECONDS})`);
  if (settled.kind === 'dispute') return markOther(trx, settled.dispute, settled);
  if (settled.kind === 'payout') return markOther(trx, settled.payout, settled);
  return markOrder(trx, settled);
}

async function markOther(
  trx: Knex.Transaction,
  { id, status: state }: { readonly id: string; readonly status: string },
  settled: HookPayload,
): Promise<void> {
  await trx.raw(
    `INSERT INTO shop.others AS o (id, state, marks) VALUES (:id, :state, ARRAY[:mark]::text[])
     ON CONFLICT (id) DO UPDATE SET state = :state, marks = o.marks || ARRAY[:mark]::text[]`,
    { id, state, mark: toTold(settled).mark },
  );
}

async function markOrder(
  trx: Knex.Transaction,
  settled: Extract<HookPayload, { kind: 'charge' | 'refund' }>,
): Promise<void> {
  const { charge } = settled;
  const order = charge.metadata['order'] ?? charge.id;
  const captured = charge.amount_captured;
  const returned = settled.kind === 'refund' && settled.refund.status === 'succeeded';
  const refunded = returned && charge.status === 'succeeded' ? settled.refund.amount : 0;
  const { mark: told } = toTold(settled);
  await trx.raw(
    `INSERT INTO shop.orders AS o (id, charge, state, captured, refunded, marks)
     VALUES (:order, :charge, :state, :captured, :refunded, ARRAY[:told]::text[])
     ON CONFLICT (id) DO UPDATE SET charge = :charge, state = :state, captured = :captured,
       refunded = o.refunded + :refunded, marks = o.marks || ARRAY[:told]::text[]`,
    { order, charge: charge.id, state: charge.status, captured, refunded, told },
  );
}

function toTold(settled: HookPayload): Told {
  switch (settled.kind) {
    case 'charge': {
      const { id, status, metadata } = settled.charge;
      const mark = `charge ${id} ${status}`;
      return { mark, name: mark, metadata };
    }
    case 'refund': {
      const { id, status } = settled.refund;
      const mark = `refund ${id} ${status}`;
      return { mark, name: mark, metadata: settled.charge.metadata };
    }
    case 'dispute': {
      const { id, status, round, evidence_details, balance_transactions } = settled.dispute;
      // One that was opened again has been in this state before.
      const place = `${status} ${round} ${evidence_details.submission_count} ${balance_transactions.length}`;
      const { id: charge, metadata } = settled.charge;
      return { mark: `dispute ${id} ${place}`, name: `dispute of ${charge} ${place}`, metadata };
    }
    case 'invoice': {
      const { id, status, metadata } = settled.invoice;
      const mark = `invoice ${id} ${status}`;
      return { mark, name: mark, metadata };
    }
    case 'subscription': {
      const { id, metadata } = settled.subscription;
      const mark = `${settled.event} ${id}`;
      return { mark, name: mark, metadata };
    }
    case 'payout': {
      const { id, status, metadata } = settled.payout;
      const mark = `payout ${id} ${status}`;
      return { mark, name: mark, metadata };
    }
  }
}

/** Ends a transaction of the host's on purpose. */
class ChangedMind extends Error {}

async function serve(
  knex: Knex,
  paymount: Paymount,
  asked: ShopRequest,
): Promise<ShopAnswer & { readonly status: number }> {
  try {
    const result = await knex.transaction(async (trx) => {
      const done = await carryOut(trx, paymount, asked);
      if (!asked.commits) throw new ChangedMind('The host changed its mind.');
      return done;
    });
    return { status: 200, result: 'committed', ids: result };
  } catch (error) {
    if (error instanceof ChangedMind) return { status: 200, result: 'rolled back' };
    return { ...toRefusal(error), result: 'failed' };
  }
}

function toRefusal(error: unknown): { status: number; code: string; sqlstates: string[] } {
  const sqlstates: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && /^[0-9A-Z]{5}$/.test(String(cause.code)))
      sqlstates.push(String(cause.code));
  }
  if (PaymountError.is(error)) return { status: 409, code: error.code, sqlstates };
  return { status: 503, code: String(error), sqlstates };
}

/** @returns the ids of what was made, charges or a refund */
async function carryOut(
  trx: Knex.Transaction,
  paymount: Paymount,
  asked: ShopRequest,
): Promise<readonly string[]> {
  const { charges, refunds } = paymount.using(trx);
  const { acting } = asked;
  switch (asked.do) {
    case 'buy':
      return buy(trx, charges, acting, asked.orders);
    case 'refund': {
      const charge = await lockOrder(trx, asked.order);
      const { amount, call } = asked;
      const known = await trx('shop.returns').where({ id: call }).first('refund');
      if (known !== undefined) return [String(known.refund)];
      const made = await refunds.create(acting, { charge, amount, metadata: { call } });
      await trx('shop.returns').insert({ id: call, order_id: asked.order, refund: made.id });
      return [made.id];
    }
    case 'capture': {
      const charge = await lockOrder(trx, asked.order);
      return [(await charges.capture(acting, charge, { amount: asked.amount })).id];
    }
    case 'cancel':
      return [(await charges.cancel(acting, await lockOrder(trx, asked.order))).id];
  }
}

/** An order and its charge commit together; two orders are two calls at once on one transaction. */
async function buy(
  trx: Knex.Transaction,
  charges: Paymount['charges'],
  acting: Acting,
  orders: readonly ShopOrder[],
): Promise<readonly string[]> {
  const ids = orders.map(({ id }) => id);
  const rows = ids.map((id) => ({ id, state: 'new' }));
  const inserted = await trx('shop.orders').insert(rows).onConflict('id').ignore().returning('id');
  if (inserted.length === 0) {
    // This was asked before, and committed.
    const known = await trx('shop.orders').whereIn('id', ids).select('id', 'charge');
    return ids.map((id) => String(known.find((row) => row.id === id)?.charge));
  }
  return Promise.all(
    orders.map(async ({ id, ...sale }) => {
      const { id: charge, status: state } = await charges.create(acting, sale);
      await trx('shop.orders').where({ id }).update({ charge, state });
      return charge;
    }),
  );
}

/** @returns the charge of the order, whose row is locked until the host's transaction ends */
async function lockOrder(trx: Knex.Transaction, id: string): Promise<string> {
  const order = await trx('shop.orders').where({ id }).forUpdate().first('charge');
  return String(order?.charge);
}
