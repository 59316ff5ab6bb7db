import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, JSON_TYPE, postForm, postJson } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';

const CLOCK = '2026-11-21T12:00:00.000Z';
const CREDIT = { amount: -500, currency: 'eur' };

describe('the balance of a customer', () => {
  let app: TestApp;
  let knex: Knex;
  before(async () => {
    app = await startApp({ paymount: { clock: fakeClock(CLOCK) } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 2 } });
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });

  const url = (path: string) => `${app.url}/v1/customers${path}`;
  const key = () => ({ key: app.secretKey });
  const post = (path: string, body: object, more: Ask = {}) =>
    postJson(url(path), body, { ...key(), ...more });
  const get = async (path: string) => (await ask(url(path), key())).json;
  const create = async (path: string, body: object): Promise<string> => {
    const { status, json, text } = await post(path, body);
    expect(status, text).to.equal(200);
    return String(json['id']);
  };
  const newCustomer = (body: object = {}) => create('', body);
  const movesOf = (customer: string) => `/${customer}/balance_transactions`;
  const listed = async (path: string): Promise<readonly Record<string, unknown>[]> =>
    (await get(path))['data'] as Record<string, unknown>[];
  const amountsOf = async (customer: string, more = '') =>
    (await listed(`${movesOf(customer)}?limit=100${more}`)).map((move) => move['amount']);
  const refusal = async (reply: ReturnType<typeof post>): Promise<readonly unknown[]> => {
    const { status, error } = await reply;
    return [status, error['code'], error['param']];
  };
  const shown = async (customer: string) => {
    const { currency, balance, invoice_credit_balance: credit } = await get(`/${customer}`);
    return { currency, balance, credit };
  };

  it('is adjusted by signed amounts, and each move shows what it left', async () => {
    const customer = await newCustomer();
    expect(await shown(customer)).to.deep.equal({ currency: null, balance: 0, credit: {} });
    const { json } = await postForm(
      url(movesOf(customer)),
      'amount=-500&currency=EUR&description=Broken+cup&metadata[order]=7',
      key(),
    );
    const expected = {
      id: json['id'],
      object: 'customer_balance_transaction',
      livemode: false,
      created: CLOCK,
      metadata: { order: '7' },
      customer,
      type: 'adjustment',
      amount: -500,
      currency: 'eur',
      ending_balance: -500,
      invoice: null,
      description: 'Broken cup',
    };
    expect(json['id']).to.match(/^cbtxn_/);
    expect(json).to.deep.equal(expected);
    expect(await get(`${movesOf(customer)}/${String(json['id'])}`)).to.deep.equal(expected);
    const { json: second } = await post(movesOf(customer), { amount: 700, currency: 'eur' });
    expect(second).to.include({ amount: 700, ending_balance: 200, description: null });
    const list = await get(movesOf(customer));
    expect(list).to.deep.equal({
      object: 'list',
      url: `/v1/customers/${customer}/balance_transactions`,
      has_more: false,
      data: [second, expected],
    });
    const next = `?limit=1&starting_after=${String(second['id'])}`;
    expect(await listed(movesOf(customer) + next)).to.deep.equal([expected]);
    const eur = { currency: 'eur', balance: 200, credit: { eur: -200 } };
    expect(await shown(customer)).to.deep.equal(eur);
  });

  it('is kept in each currency, and the first one is that of the customer', async () => {
    const customer = await newCustomer();
    await create(movesOf(customer), { amount: -300, currency: 'jpy' });
    await create(movesOf(customer), CREDIT);
    await create(movesOf(customer), { amount: 100, currency: 'jpy' });
    expect(await shown(customer)).to.deep.equal({
      currency: 'jpy',
      balance: -200,
      credit: { jpy: 200, eur: 500 },
    });
    expect(await amountsOf(customer)).to.deep.equal([100, -500, -300]);
    expect(await amountsOf(customer, '&currency=JPY')).to.deep.equal([100, -300]);
    expect(await amountsOf(customer, '&invoice=in_1')).to.deep.equal([]);
    expect(await amountsOf(customer, `&created[gt]=${CLOCK}`)).to.deep.equal([]);
    const path = `/${customer}?expand[]=invoice_credit_balance`;
    expect((await get(path))['invoice_credit_balance']).to.deep.equal({ jpy: 200, eur: 500 });
  });

  it('shows the customer of a move on request', async () => {
    const customer = await newCustomer({ name: 'Ada' });
    const move = await create(movesOf(customer), CREDIT);
    const { customer: expanded } = await get(`${movesOf(customer)}/${move}?expand[]=customer`);
    expect(expanded).to.include({ id: customer, name: 'Ada', balance: -500 });
  });

  it('changes the description and the metadata of a move, and nothing else', async () => {
    const customer = await newCustomer();
    const move = await create(movesOf(customer), {
      ...CREDIT,
      description: 'a',
      metadata: { a: '1' },
    });
    const path = `${movesOf(customer)}/${move}`;
    const { json } = await post(path, { description: '', metadata: { a: '', b: '2' } });
    expect(json).to.deep.include({ description: null, metadata: { b: '2' }, amount: -500 });
    expect(await get(path)).to.deep.equal(json);
    for (const field of ['amount', 'currency', 'type', 'ending_balance', 'invoice']) {
      const answer = await refusal(post(path, { [field]: 1 }));
      expect(answer).to.deep.equal([400, 'parameter_unknown', field]);
    }
  });

  it('refuses what no move can be, and names the parameter', async () => {
    const customer = await newCustomer();
    for (const [body, code, param] of [
      [{ amount: 1 }, 'parameter_missing', 'currency'],
      [{ currency: 'eur' }, 'parameter_missing', 'amount'],
      [{ ...CREDIT, amount: 0 }, 'amount_too_small', 'amount'],
      [{ ...CREDIT, amount: 1.5 }, 'parameter_invalid_integer', 'amount'],
      [{ ...CREDIT, amount: 100_000_000 }, 'amount_too_large', 'amount'],
      [{ ...CREDIT, amount: -100_000_000 }, 'amount_too_large', 'amount'],
      [{ ...CREDIT, currency: 'xxx' }, 'invalid_currency', 'currency'],
      // Withdrawn, and there is nothing in it.
      [{ ...CREDIT, currency: 'ang' }, 'invalid_currency', 'currency'],
      [{ ...CREDIT, type: 'proration_credit' }, 'parameter_unknown', 'type'],
      [{ ...CREDIT, description: 'x'.repeat(1001) }, 'parameter_invalid', 'description'],
      [{ ...CREDIT, metadata: { k: 'x'.repeat(501) } }, 'metadata_limit_exceeded', 'metadata[k]'],
    ] as const) {
      const answer = await refusal(post(movesOf(customer), body));
      expect(answer, JSON.stringify(body)).to.deep.equal([400, code, param]);
    }
    expect(await amountsOf(customer)).to.deep.equal([]);
    expect((await post(movesOf(customer), { ...CREDIT, amount: 99_999_999 })).status).to.equal(200);
  });

  it('is at most 1,000,000,000,000 minor units above or below zero', async () => {
    const customer = await newCustomer();
    await addMove(customer, 999_999_999_999);
    const over = await post(movesOf(customer), { amount: 2, currency: 'eur' });
    expect([
      over.status,
      over.error['code'],
      over.error['param'],
      over.error['message'],
    ]).to.deep.equal([
      400,
      'customer_balance_limit_exceeded',
      'amount',
      'The balance would be 10,000,000,000.01 EUR; it may be at most 10,000,000,000.00 EUR above or below zero.',
    ]);
    const { json } = await post(movesOf(customer), { amount: 1, currency: 'eur' });
    expect(json['ending_balance']).to.equal(1_000_000_000_000);
  });

  it('lets what is left in a withdrawn currency be used up', async () => {
    const customer = await newCustomer();
    await addMove(customer, -500, 'ang');
    const { json, text } = await post(movesOf(customer), { amount: 500, currency: 'ang' });
    expect(json['ending_balance'], text).to.equal(0);
  });

  it('loses none of 20 adjustments at once', async () => {
    const customer = await newCustomer();
    const amounts = Array.from({ length: 20 }, (_, index) => index + 1);
    const replies = await Promise.all(
      amounts.map((amount) => post(movesOf(customer), { amount, currency: 'eur' })),
    );
    expect(replies.map(({ status }) => status)).to.deep.equal(amounts.map(() => 200));
    expect((await shown(customer)).balance).to.equal(210);
    const rows = await query(
      app.databaseUrl,
      `SELECT number, ending_balance - amount AS before, ending_balance AS after
        FROM paymount.customer_balance_transactions WHERE customer_id = '${customer}' ORDER BY number`,
    );
    expect(rows.map(({ number }) => number)).to.deep.equal(amounts);
    const after = rows.map((row) => row['after']);
    expect(rows.map((row) => row['before'])).to.deep.equal(['0', ...after.slice(0, -1)]);
    expect(after.at(-1)).to.equal('210');
  });

  it('is set by the parameter of the customer, which adjusts it by the difference', async () => {
    const customer = await newCustomer({ name: 'Ada', balance: -500 });
    expect(await shown(customer)).to.deep.equal({
      currency: 'eur',
      balance: -500,
      credit: { eur: 500 },
    });
    const { json } = await post(`/${customer}`, { balance: 200, name: 'Grace' });
    expect(json).to.include({ balance: 200, name: 'Grace' });
    await post(`/${customer}`, { balance: 200 });
    await post(`/${customer}`, { name: 'Ada' });
    const moves = await listed(movesOf(customer));
    expect(
      moves.map((move) => [move['type'], move['amount'], move['ending_balance']]),
    ).to.deep.equal([
      ['adjustment', 700, 200],
      ['adjustment', -500, -500],
    ]);
    expect(await amountsOf(await newCustomer({ balance: 0 }))).to.deep.equal([]);
  });

  it('loses no move while the balance is set', async () => {
    const customer = await newCustomer();
    await Promise.all([
      ...Array.from({ length: 10 }, () => post(movesOf(customer), { amount: 1, currency: 'eur' })),
      ...Array.from({ length: 10 }, () => post(`/${customer}`, { balance: 50 })),
    ]);
    const sum = (await amountsOf(customer)).reduce<number>(
      (total, each) => total + Number(each),
      0,
    );
    expect((await shown(customer)).balance).to.equal(sum);
  });

  it('stays with its moves when the customer is deleted, and moves no more', async () => {
    const customer = await newCustomer();
    const move = await create(movesOf(customer), { ...CREDIT, description: 'For Ada' });
    await ask(url(`/${customer}`), { ...key(), method: 'DELETE', headers: JSON_TYPE });
    expect(await amountsOf(customer)).to.deep.equal([-500]);
    expect((await get(`${movesOf(customer)}/${move}`))['ending_balance']).to.equal(-500);
    const answer = await refusal(post(movesOf(customer), CREDIT));
    expect(answer).to.deep.equal([404, 'resource_missing', undefined]);
    // What it says about a person can still be removed.
    const { json } = await post(`${movesOf(customer)}/${move}`, { description: '' });
    expect(json).to.include({ description: null, amount: -500 });
  });

  it('is found only below its own customer and account', async () => {
    const [customer, other] = [await newCustomer(), await newCustomer()];
    const move = await create(movesOf(customer), CREDIT);
    for (const path of [`${movesOf(other)}/${move}`, movesOf('cus_none'), `${movesOf(customer)}/x`])
      expect((await ask(url(path), key())).status, path).to.equal(404);
    expect((await post(`${movesOf(other)}/${move}`, { description: 'x' })).status).to.equal(404);
    expect((await post(movesOf('cus_none'), CREDIT)).status).to.equal(404);
    const cursor = await ask(url(`${movesOf(other)}?starting_after=${move}`), key());
    expect([cursor.status, cursor.error['code']]).to.deep.equal([400, 'invalid_cursor']);
  });

  it('moves once for an idempotency key', async () => {
    const customer = await newCustomer();
    const more = { headers: { 'idempotency-key': 'credit-once' } };
    const [first, second] = [
      await post(movesOf(customer), CREDIT, more),
      await post(movesOf(customer), CREDIT, more),
    ];
    expect(second.text).to.equal(first.text);
    expect(await amountsOf(customer)).to.deep.equal([-500]);
  });

  it('has the time of the test clock of its customer, and waits while that advances', async () => {
    const clocks = `${app.url}/v1/test_helpers/test_clocks`;
    const { json } = await postJson(clocks, { frozen_time: '2030-01-01T00:00:00Z' }, key());
    const clock = String(json['id']);
    const customer = await newCustomer({ test_clock: clock, balance: 5 });
    const [move] = await listed(movesOf(customer));
    expect(move).to.include({ created: '2030-01-01T00:00:00.000Z', ending_balance: 5 });
    await query(
      app.databaseUrl,
      `UPDATE paymount.test_clocks SET status = 'advancing', target_time = frozen_time + interval '1 day'
        WHERE id = '${clock}'`,
    );
    for (const reply of [post(movesOf(customer), CREDIT), post(`/${customer}`, { balance: 6 })])
      expect((await refusal(reply)).slice(0, 2)).to.deep.equal([409, 'test_clock_advancing']);
    expect((await post(`/${customer}`, { name: 'Ada', balance: 5 })).status).to.equal(200);
  });

  it('is a chain that the database itself keeps whole', async () => {
    const customer = await newCustomer();
    const move = await create(movesOf(customer), CREDIT);
    const table = 'paymount.customer_balance_transactions';
    for (const [statement, message] of [
      [`UPDATE ${table} SET amount = -400 WHERE id = '${move}'`, /Only the description/],
      [`UPDATE ${table} SET ending_balance = 0 WHERE id = '${move}'`, /Only the description/],
      [`DELETE FROM ${table} WHERE id = '${move}'`, /Only the description/],
      [`TRUNCATE ${table}`, /Only the description/],
      [moveSql(customer, { number: 3, amount: 1, ending: -499 }), /one before plus the amount/],
      [moveSql(customer, { number: 2, amount: 1, ending: -498 }), /one before plus the amount/],
      [moveSql(customer, { number: 1, amount: 1, ending: 1 }), /customer_balance_numbers/],
    ] as const) {
      await query(app.databaseUrl, statement).then(
        () => expect.fail(`The database took ${statement}`),
        (error: Error) => expect(error.message).to.match(message),
      );
    }
    await query(app.databaseUrl, moveSql(customer, { number: 2, amount: 1, ending: -499 }));
  });

  it('takes the calls of the host, and rolls them back with its transaction', async () => {
    const { customers, using } = app.paymount;
    const { acting } = app;
    const { id } = await customers.create(acting, { balance: -100 });
    const rolledBack = new Error('rolled back');
    await knex
      .transaction(async (trx) => {
        await using(trx).customers.createBalanceTransaction(acting, id, CREDIT);
        throw rolledBack;
      })
      .catch((error: unknown) => expect(error).to.equal(rolledBack));
    expect(await amountsOf(id)).to.deep.equal([-100]);
    const once = { ...acting, idempotencyKey: 'host-credit' };
    const made = await customers.createBalanceTransaction(once, id, CREDIT);
    expect(await customers.createBalanceTransaction(once, id, CREDIT)).to.deep.equal(made);
    expect(made.ending_balance).to.equal(-600);
    const renamed = await customers.updateBalanceTransaction(acting, id, made.id, {
      description: 'Sorry',
    });
    expect(renamed).to.deep.equal({ ...made, description: 'Sorry' });
    expect(await customers.retrieveBalanceTransaction(acting, id, made.id)).to.deep.equal(renamed);
    const { data } = await customers.listBalanceTransactions(acting, id, { limit: 1 });
    expect(data).to.deep.equal([renamed]);
  });

  /** A move that the API would take thousands of calls for, or would not take. */
  async function addMove(customer: string, amount: number, currency = 'eur'): Promise<void> {
    await query(
      app.databaseUrl,
      moveSql(customer, { number: 1, amount, ending: amount, currency }),
    );
    await query(
      app.databaseUrl,
      `UPDATE paymount.customers SET currency = '${currency}', balance = ${amount},
        balances = '{"${currency}": ${amount}}' WHERE id = '${customer}'`,
    );
  }
});

function moveSql(
  customer: string,
  move: {
    readonly number: number;
    readonly amount: number;
    readonly ending: number;
    readonly currency?: string;
  },
): string {
  const { number, amount, ending, currency = 'eur' } = move;
  return `INSERT INTO paymount.customer_balance_transactions (id, account_id, livemode, version,
      customer_id, currency, number, amount, ending_balance, type, metadata, created)
    SELECT 'cbtxn_' || md5(random()::text), account_id, livemode, 1,
      id, '${currency}', ${number}, ${amount}, ${ending}, 'adjustment', '{}', created
    FROM paymount.customers WHERE id = '${customer}'`;
}
