import createKnex, { type Knex } from 'knex';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { type ChargeResult, ofCharges } from '../support/charge-hook.ts';
import { eventually } from '../support/eventually.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';

const SALE = { amount: 1_000, currency: 'eur', source: 'tok_visa' };
const ROUNDS_AT_ONCE = 4;

/** A shop whose hook counts each result of a charge in its own table of orders. */
interface Shop {
  readonly app: TestApp;
  readonly knex: Knex;
  readonly tally: Tally;
  readonly violations: string[];
}

/** The host locks its order and refunds; the hook locks the order too, in the other sequence. */
export const lockedOrders: Scenario = {
  name: 'locked-orders',
  law: 'A host locks its order, then refunds, while the hook locks the order: no call fails.',
  sizes: { small: 40, nightly: 200, full: 1_000 },
  run: (rounds) =>
    inShop(async (shop) => {
      await inRounds(rounds, () => lockThenRefund(shop));
      await checkRefundsOfRounds(shop, rounds);
    }),
};

/** Each of the three posts to the same charge and runs the hook on the same order. */
export const partialRefunds: Scenario = {
  name: 'partial-refunds',
  law: 'Of 3 simultaneous refunds that a charge covers each succeeds, and is counted once.',
  sizes: { small: 40, nightly: 200, full: 1_000 },
  run: (rounds) => inShop((shop) => inRounds(rounds, () => refundThrice(shop))),
};

async function inShop(run: (shop: Shop) => Promise<void>): Promise<Findings> {
  const app = await startApp({ paymount: { hook: ofCharges(countResult) } });
  const knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 8 } });
  const shop: Shop = { app, knex, tally: new Tally(), violations: [] };
  try {
    await knex.raw('CREATE TABLE orders (charge text PRIMARY KEY, results integer NOT NULL)');
    await run(shop);
    const differences = await app.paymount.verify();
    shop.violations.push(...differences.map((difference) => JSON.stringify(difference)));
    return { violations: shop.violations, counts: shop.tally.toCounts() };
  } finally {
    await knex.destroy();
    await app.close();
  }
}

/** Counts in the host's own table, as a shop marks its orders. */
async function countResult(trx: Knex.Transaction, { charge }: ChargeResult): Promise<void> {
  await trx('orders').where({ charge: charge.id }).increment('results', 1);
}

async function inRounds(rounds: number, round: () => Promise<void>): Promise<void> {
  for (let done = 0; done < rounds; done += ROUNDS_AT_ONCE) {
    await Promise.all(Array.from({ length: ROUNDS_AT_ONCE }, round));
  }
}

/** The result of one refund is recorded while the other is asked for. */
async function lockThenRefund(shop: Shop): Promise<void> {
  const { app, knex, tally, violations } = shop;
  const charge = await openOrder(shop);
  const refundOnce = (): Promise<void> =>
    knex.transaction(async (trx) => {
      await trx('orders').where({ charge }).forUpdate();
      await app.paymount.using(trx).refunds.create(app.acting, { charge, amount: 1 });
    });
  for (const end of await Promise.allSettled([refundOnce(), refundOnce()])) {
    tally.add(end.status);
    if (end.status === 'rejected') violations.push(`A refund failed: ${String(end.reason)}`);
  }
}

async function checkRefundsOfRounds({ knex, violations }: Shop, rounds: number): Promise<void> {
  await eventually(
    async () => (await knex('orders').where('results', '<', 2).count())[0]?.['count'],
    (unfinished) => Number(unfinished) === 0,
  );
  const succeeded = await knex('paymount.refunds').where({ status: 'succeeded', amount: 1 });
  if (succeeded.length !== rounds * 2) {
    violations.push(`Of ${rounds * 2} refunds ${succeeded.length} succeeded.`);
  }
}

async function refundThrice(shop: Shop): Promise<void> {
  const charge = await openOrder(shop);
  const answers = await Promise.all(
    [1, 2, 3].map(() => post(shop, '/v1/refunds', { charge, amount: 300 })),
  );
  for (const { status, body } of answers) {
    shop.tally.add(`${status} ${body.status}`);
    if (status !== 200 || body.status !== 'succeeded') {
      shop.violations.push(`A refund of ${charge} was answered ${status} ${body.status}.`);
    }
  }
  const [order] = await shop.knex('orders').where({ charge });
  if (order.results !== 3) {
    shop.violations.push(`The order of ${charge} counts ${order.results} results.`);
  }
}

async function openOrder(shop: Shop): Promise<string> {
  const charge = (await post(shop, '/v1/charges', SALE)).body.id;
  await shop.knex('orders').insert({ charge, results: 0 });
  return charge;
}

function post({ app }: Shop, path: string, body: object) {
  return request(app.url).post(path).auth(app.secretKey, '').send(body);
}
