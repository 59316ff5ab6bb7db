import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import type { HookPayload } from 'paymount';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

type Hook = (trx: Knex.Transaction, settled: HookPayload) => Promise<void>;

const SALE = { amount: 1_000, currency: 'eur', source: 'tok_visa' };

/** What one merchant's requests share must not make them wait for each other. */
describe('many requests of one merchant at once', function () {
  this.timeout(120_000);
  let app: TestApp;
  let knex: Knex;
  /** What the host does with each result; tests replace it. */
  let hook: Hook = async () => undefined;
  const acting = () => ({ account: app.account, environment: 'test' }) as const;

  before(async () => {
    app = await startApp({ paymount: { hook: (trx, settled) => hook(trx, settled) } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 8 } });
    await knex.raw('CREATE TABLE orders (charge text PRIMARY KEY, results integer NOT NULL)');
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });
  afterEach(async () => {
    hook = async () => undefined;
    expect(await app.paymount.verify()).to.deep.equal([]);
  });

  const post = async (path: string, body: object) => {
    const { status, body: answer } = await request(app.url)
      .post(path)
      .auth(app.secretKey, '')
      .send(body);
    return { status, answer };
  };
  const sell = async (): Promise<string> => (await post('/v1/charges', SALE)).answer.id;
  /** Counts the results of a charge in the host's own table, as a shop marks its orders. */
  const countResults: Hook = async (trx, { charge }) => {
    await trx('orders').where({ charge: charge.id }).increment('results', 1);
  };

  it('answers each of 100 charges with its result, though the hook takes 100 ms', async () => {
    hook = async (trx) => void (await trx.raw('SELECT pg_sleep(0.1)'));
    const answers = await Promise.all(Array.from({ length: 100 }, () => post('/v1/charges', SALE)));
    const results = answers.map(({ status, answer }) => `${status} ${answer.status}`);
    expect(new Set(results)).to.deep.equal(new Set(['200 succeeded']));
  });

  it('charges in a currency that is new to it, though the hook of the first charge takes 3 s', async () => {
    const first = { ...SALE, amount: 700, currency: 'usd' };
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    hook = async (trx, { charge }) => {
      if (charge.amount !== first.amount) return;
      begin();
      await trx.raw('SELECT pg_sleep(3)');
    };
    const slow = post('/v1/charges', first);
    await begun;
    const other = await post('/v1/charges', { ...SALE, currency: 'usd' });
    expect(other.answer.status).to.equal('succeeded');
    const { charges } = app.paymount;
    const [open] = await knex('paymount.charges').where({ amount: first.amount });
    expect((await charges.retrieve(acting(), open.id)).status, 'the first').to.equal('pending');
    expect((await slow).answer.status).to.equal('succeeded');
  });

  it('runs a hook again that calls us and meets a lock there', async () => {
    const note = await sell();
    let runs = 0;
    let givesWay: () => void = () => undefined;
    const gaveWay = new Promise<void>((resolve) => {
      givesWay = resolve;
    });
    hook = async (trx, { charge }) => {
      runs += 1;
      if (runs > 1) givesWay();
      const metadata = { paid_with: charge.id };
      await app.paymount.using(trx).charges.update(acting(), note, { metadata });
    };
    const charge = await knex.transaction(async (holder) => {
      await holder('paymount.charges').where({ id: note }).forUpdate();
      const paid = post('/v1/charges', SALE);
      await Promise.race([gaveWay, paid]);
      return { paid };
    });
    expect((await charge.paid).answer.status).to.equal('succeeded');
  });

  it("charges while a host's transaction with a refund stays open", async () => {
    const paid = await sell();
    const statuses = await knex.transaction(async (trx) => {
      await app.paymount.using(trx).refunds.create(acting(), { charge: paid, amount: 1 });
      const answers = await Promise.all(Array.from({ length: 5 }, () => post('/v1/charges', SALE)));
      return answers.map(({ answer }) => answer.status);
    });
    expect(statuses).to.deep.equal(Array.from({ length: 5 }, () => 'succeeded'));
  });

  it('lets a host lock its order, then refund, 200 times, while the hook locks the order', async () => {
    hook = countResults;
    const rounds = 200;
    const failures: unknown[] = [];
    const round = async (): Promise<void> => {
      const charge = await sell();
      await knex('orders').insert({ charge, results: 0 });
      const refundOnce = (): Promise<void> =>
        knex.transaction(async (trx) => {
          await trx('orders').where({ charge }).forUpdate();
          await app.paymount.using(trx).refunds.create(acting(), { charge, amount: 1 });
        });
      // The result of one refund is recorded while the other is asked for.
      const ended = await Promise.allSettled([refundOnce(), refundOnce()]);
      failures.push(...ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : [])));
    };
    for (let done = 0; done < rounds; done += 4) {
      await Promise.all([round(), round(), round(), round()]);
    }
    expect(failures).to.deep.equal([]);
    await eventually(
      async () => (await knex('orders').where('results', '<', 2).count())[0]?.['count'],
      (unfinished) => Number(unfinished) === 0,
    );
    const refunds = await knex('paymount.refunds').where({ status: 'succeeded', amount: 1 });
    expect(refunds.length).to.be.at.least(rounds * 2);
  });

  it('settles 3 partial refunds of one charge at once, 200 times', async () => {
    hook = countResults;
    const round = async (): Promise<string> => {
      const charge = await sell();
      await knex('orders').insert({ charge, results: 0 });
      const refund = { charge, amount: 300 };
      const answers = await Promise.all([1, 2, 3].map(() => post('/v1/refunds', refund)));
      const [order] = await knex('orders').where({ charge });
      const results = answers.map(({ status, answer }) => `${status} ${answer.status}`);
      return `${results.join(', ')}; ${order.results} in the order`;
    };
    const seen = new Set<string>();
    for (let rounds = 0; rounds < 200; rounds += 4) {
      for (const result of await Promise.all([round(), round(), round(), round()])) {
        seen.add(result);
      }
    }
    const expected = '200 succeeded, 200 succeeded, 200 succeeded; 3 in the order';
    expect(seen).to.deep.equal(new Set([expected]));
  });

  it('settles 20 partial refunds of one charge at once, though the hook takes 100 ms', async () => {
    const charge = await sell();
    hook = async (trx) => void (await trx.raw('SELECT pg_sleep(0.1)'));
    const refund = { charge, amount: 1_000 / 20 };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post('/v1/refunds', refund)),
    );
    expect(answers.map(({ status, answer }) => `${status} ${answer.status}`)).to.deep.equal(
      Array.from({ length: 20 }, () => '200 succeeded'),
    );
  });
});
