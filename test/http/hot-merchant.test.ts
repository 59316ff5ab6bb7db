import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { type ChargeResult, ofCharges } from '../support/charge-hook.ts';
import { signal } from '../support/signal.ts';

type Hook = (trx: Knex.Transaction, settled: ChargeResult) => Promise<void>;

const SALE = { amount: 1_000, currency: 'eur', source: 'tok_visa' };

/** What one merchant's requests share must not make them wait for each other. */
describe('many requests of one merchant at once', function () {
  this.timeout(120_000);
  let app: TestApp;
  let knex: Knex;
  /** What the host does with each result; tests replace it. */
  let hook: Hook = async () => undefined;

  before(async () => {
    app = await startApp({ paymount: { hook: ofCharges((trx, settled) => hook(trx, settled)) } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 8 } });
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

  it('answers each of 100 charges with its result, though the hook takes 100 ms', async () => {
    hook = async (trx) => void (await trx.raw('SELECT pg_sleep(0.1)'));
    const answers = await Promise.all(Array.from({ length: 100 }, () => post('/v1/charges', SALE)));
    const results = answers.map(({ status, answer }) => `${status} ${answer.status}`);
    expect(new Set(results)).to.deep.equal(new Set(['200 succeeded']));
  });

  it('charges in a currency that is new to it, though the hook of the first charge goes on', async () => {
    const first = { ...SALE, amount: 700, currency: 'usd' };
    const [begun, ended] = [signal(), signal()];
    hook = async (_, { charge }) => {
      if (charge.amount !== first.amount) return;
      begun.give();
      await ended.given;
    };
    const slow = post('/v1/charges', first);
    await begun.given;
    const other = await post('/v1/charges', { ...SALE, currency: 'usd' });
    expect(other.answer.status).to.equal('succeeded');
    const { charges } = app.paymount;
    const [open] = await knex('paymount.charges').where({ amount: first.amount });
    expect((await charges.retrieve(app.acting, open.id)).status, 'the first').to.equal('pending');
    ended.give();
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
      await app.paymount.using(trx).charges.update(app.acting, note, { metadata });
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
      await app.paymount.using(trx).refunds.create(app.acting, { charge: paid, amount: 1 });
      const answers = await Promise.all(Array.from({ length: 5 }, () => post('/v1/charges', SALE)));
      return answers.map(({ answer }) => answer.status);
    });
    expect(statuses).to.deep.equal(Array.from({ length: 5 }, () => 'succeeded'));
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
