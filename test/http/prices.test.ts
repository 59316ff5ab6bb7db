import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, JSON_TYPE, postForm, postJson } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';

const CLOCK = '2026-11-21T12:00:00.000Z';
const MONTHLY = { interval: 'month' };
const EUR = { currency: 'eur', unit_amount: 1900 };

describe('Products and prices', () => {
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

  const url = (path: string) => `${app.url}/v1${path}`;
  const key = () => ({ key: app.secretKey });
  const post = (path: string, body: object, more: Ask = {}) =>
    postJson(url(path), body, { ...key(), ...more });
  const get = (path: string) => ask(url(path), key());
  const remove = (path: string) =>
    ask(url(path), { ...key(), method: 'DELETE', headers: JSON_TYPE });
  const create = async (path: string, body: object): Promise<string> => {
    const { status, json, text } = await post(path, body);
    expect(status, text).to.equal(200);
    return String(json['id']);
  };
  const newProduct = () => create('/products', { name: 'Tea' });
  const refusal = async (reply: ReturnType<typeof post>): Promise<readonly unknown[]> => {
    const { status, json } = await reply;
    const { code, param } = json['error'] as { code: string; param?: string };
    return [status, code, param];
  };
  const idsOf = async (path: string): Promise<readonly unknown[]> =>
    ((await get(path)).json['data'] as { id: string }[]).map(({ id }) => id);

  it('creates, changes and deletes a product', async () => {
    const { json: made } = await post('/products', {
      name: ' Tea of the month ',
      description: 'Twelve kinds',
      metadata: { kind: 'green' },
    });
    const expected = {
      id: made['id'],
      object: 'product',
      livemode: false,
      created: CLOCK,
      metadata: { kind: 'green' },
      name: 'Tea of the month',
      active: true,
      description: 'Twelve kinds',
    };
    expect(made['id']).to.match(/^prod_/);
    expect(made).to.deep.equal(expected);
    const path = `/products/${String(made['id'])}`;
    const changed = { ...expected, name: 'Tea', active: false, description: null };
    const { json } = await post(path, { name: 'Tea', active: false, description: '' });
    expect(json).to.deep.equal(changed);
    expect((await get(path)).json).to.deep.equal(changed);
    const deleted = { id: made['id'], object: 'product', deleted: true };
    expect((await remove(path)).json).to.deep.equal(deleted);
    expect(await refusal(get(path))).to.deep.equal([404, 'resource_missing', undefined]);
    expect(await refusal(post(path, { name: 'Tea' }))).to.deep.equal([
      404,
      'resource_missing',
      undefined,
    ]);
  });

  it('creates a price of a product, and shows its product on request', async () => {
    const product = await newProduct();
    const { json } = await postForm(
      url('/prices'),
      `product=${product}&currency=EUR&unit_amount=1900&recurring[interval]=month` +
        '&recurring[interval_count]=3&recurring[trial_period_days]=14&nickname=Quarterly' +
        '&lookup_key=tea_quarterly&metadata[plan]=basic',
      key(),
    );
    const expected = {
      id: json['id'],
      object: 'price',
      livemode: false,
      created: CLOCK,
      metadata: { plan: 'basic' },
      product,
      active: true,
      currency: 'eur',
      unit_amount: 1900,
      type: 'recurring',
      recurring: { interval: 'month', interval_count: 3, trial_period_days: 14 },
      lookup_key: 'tea_quarterly',
      nickname: 'Quarterly',
    };
    expect(json['id']).to.match(/^price_/);
    expect(json).to.deep.equal(expected);
    const expanded = (await get(`/prices/${String(json['id'])}?expand[]=product`)).json;
    expect(expanded['product']).to.include({ id: product, object: 'product', name: 'Tea' });
  });

  it('creates a price together with its product, charged once if nothing recurs', async () => {
    const { json } = await post('/prices', {
      ...EUR,
      unit_amount: 0,
      product_data: { name: 'Set-up', metadata: { kind: 'fee' } },
    });
    expect(json).to.include({ type: 'one_time', recurring: null, unit_amount: 0 });
    const product = (await get(`/products/${String(json['product'])}`)).json;
    expect(product).to.deep.include({ name: 'Set-up', metadata: { kind: 'fee' }, active: true });
  });

  it('changes all of a price but what it costs', async () => {
    const product = await newProduct();
    const id = await create('/prices', { product, ...EUR, recurring: MONTHLY, nickname: 'a' });
    const { json } = await post(`/prices/${id}`, {
      active: false,
      nickname: '',
      lookup_key: 'changed',
      metadata: { a: '1' },
    });
    expect(json).to.deep.include({
      active: false,
      nickname: null,
      lookup_key: 'changed',
      metadata: { a: '1' },
      unit_amount: 1900,
    });
    for (const [param, value] of [
      ['unit_amount', 1],
      ['currency', 'usd'],
      ['recurring', MONTHLY],
      ['product', product],
    ] as const) {
      expect(await refusal(post(`/prices/${id}`, { [param]: value }))).to.deep.equal([
        400,
        'parameter_unknown',
        param,
      ]);
    }
    const change = `UPDATE paymount.prices SET unit_amount = 1 WHERE id = '${id}'`;
    await query(app.databaseUrl, change).then(
      () => expect.fail('The database changed what a price costs.'),
      (error: Error) => expect(error.message).to.contain('never change'),
    );
  });

  it('refuses what no price can be, and names the parameter', async () => {
    const product = await newProduct();
    const idle = await create('/products', { name: 'Old', active: false });
    const valid = { product, ...EUR };
    const cases: readonly (readonly [object, string, string])[] = [
      [{ ...EUR }, 'parameter_missing', 'product'],
      [{ ...valid, product_data: { name: 'x' } }, 'parameters_exclusive', 'product_data'],
      [{ ...EUR, product: 'prod_none' }, 'resource_missing', 'product'],
      [{ ...EUR, product: idle }, 'product_inactive', 'product'],
      [{ ...EUR, product_data: {} }, 'parameter_missing', 'product_data[name]'],
      [{ product, currency: 'eur' }, 'parameter_missing', 'unit_amount'],
      [{ ...valid, unit_amount: -1 }, 'parameter_invalid', 'unit_amount'],
      [{ ...valid, unit_amount: 100_000_000 }, 'amount_too_large', 'unit_amount'],
      [{ ...valid, unit_amount: 1.5 }, 'parameter_invalid_integer', 'unit_amount'],
      [{ ...valid, currency: 'ang' }, 'invalid_currency', 'currency'],
      [{ ...valid, recurring: {} }, 'parameter_missing', 'recurring[interval]'],
      [{ ...valid, recurring: { interval: 'hour' } }, 'parameter_invalid', 'recurring[interval]'],
      [
        { ...valid, recurring: { interval: 'month', interval_count: 37 } },
        'parameter_invalid',
        'recurring[interval_count]',
      ],
      [
        { ...valid, recurring: { interval: 'day', interval_count: 1, trial_period_days: 731 } },
        'parameter_invalid',
        'recurring[trial_period_days]',
      ],
    ];
    for (const [body, code, param] of cases) {
      expect(await refusal(post('/prices', body)), JSON.stringify(body)).to.deep.equal([
        400,
        code,
        param,
      ]);
    }
    for (const [interval, count] of [
      ['day', 1095],
      ['week', 156],
      ['month', 36],
      ['year', 3],
    ] as const) {
      const recurring = { interval, interval_count: count };
      expect((await post('/prices', { ...valid, recurring })).status).to.equal(200);
    }
  });

  it('gives a lookup key to one price, and to another on request', async () => {
    const product = await newProduct();
    const first = await create('/prices', { product, ...EUR, lookup_key: 'standard' });
    const body = { product, ...EUR, lookup_key: 'standard' };
    expect(await refusal(post('/prices', body))).to.deep.equal([
      400,
      'resource_already_exists',
      'lookup_key',
    ]);
    const second = await create('/prices', { ...body, transfer_lookup_key: true });
    expect(await idsOf('/prices?lookup_keys[]=standard')).to.deep.equal([second]);
    expect((await get(`/prices/${first}`)).json['lookup_key']).to.equal(null);
    const back = { lookup_key: 'standard', transfer_lookup_key: true };
    expect((await post(`/prices/${first}`, back)).status).to.equal(200);
    expect(await idsOf('/prices?lookup_keys[]=standard')).to.deep.equal([first]);
    expect((await post(`/prices/${first}`, { lookup_key: 'standard' })).status).to.equal(200);
  });

  it('gives a lookup key to one of twenty callers at once', async () => {
    const product = await newProduct();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        post('/prices', { product, ...EUR, lookup_key: 'contested' }),
      ),
    );
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).to.deep.equal([200, ...Array.from({ length: 19 }, () => 400)]);
    expect((await idsOf('/prices?lookup_keys[]=contested')).length).to.equal(1);
  });

  it('does not delete a product that has a price, also if it is made at the same time', async () => {
    const product = await newProduct();
    await create('/prices', { product, ...EUR });
    expect(await refusal(remove(`/products/${product}`))).to.deep.equal([
      400,
      'product_has_prices',
      undefined,
    ]);
    for (let round = 0; round < 5; round += 1) {
      const contested = await newProduct();
      const [price, deletion] = await Promise.all([
        post('/prices', { product: contested, ...EUR }),
        remove(`/products/${contested}`),
      ]);
      expect([price.status, deletion.status].toSorted((a, b) => a - b)).to.deep.equal([200, 400]);
    }
  });

  it('lists by each filter, and only what the account has', async () => {
    const product = await newProduct();
    const monthly = await create('/prices', { product, ...EUR, recurring: MONTHLY });
    const once = await create('/prices', { product, currency: 'jpy', unit_amount: 500 });
    await post(`/prices/${once}`, { active: false });
    const of = `product=${product}`;
    expect(await idsOf(`/prices?${of}`)).to.deep.equal([once, monthly]);
    expect(await idsOf(`/prices?${of}&limit=1&starting_after=${once}`)).to.deep.equal([monthly]);
    expect(await idsOf(`/prices?${of}&type=recurring`)).to.deep.equal([monthly]);
    expect(await idsOf(`/prices?${of}&active=false`)).to.deep.equal([once]);
    expect(await idsOf(`/prices?${of}&currency=JPY`)).to.deep.equal([once]);
    expect(await idsOf(`/products?ids[]=${product}&active=true`)).to.deep.equal([product]);
    expect(await idsOf(`/products?ids[]=${product}&active=false`)).to.deep.equal([]);
    const { id: account } = await app.paymount.accounts.create({
      name: 'Other shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const other = { account, livemode: false, type: 'secret', name: 'other' } as const;
    const foreign = { key: (await app.paymount.keys.create(other)).secret };
    expect((await ask(url(`/prices/${monthly}`), foreign)).status).to.equal(404);
    expect((await ask(url(`/prices?${of}`), foreign)).json['data']).to.deep.equal([]);
    const body = { product, ...EUR };
    expect((await postJson(url('/prices'), body, foreign)).status).to.equal(400);
  });

  it('makes a price once for an idempotency key', async () => {
    const product = await newProduct();
    const more = { headers: { 'idempotency-key': 'price-once' } };
    const [first, second] = [
      await post('/prices', { product, ...EUR }, more),
      await post('/prices', { product, ...EUR }, more),
    ];
    expect(second.json).to.deep.equal(first.json);
    expect(await idsOf(`/prices?product=${product}`)).to.deep.equal([first.json['id']]);
  });

  it('takes the calls of the host, and rolls them back with its transaction', async () => {
    const { paymount, acting } = app;
    const product = await paymount.products.create(acting, { name: 'Hosted' });
    const rolledBack = new Error('rolled back');
    let made = '';
    await knex
      .transaction(async (trx) => {
        const price = await paymount
          .using(trx)
          .prices.create(acting, { product: product.id, ...EUR });
        made = price.id;
        throw rolledBack;
      })
      .catch((error: unknown) => expect(error).to.equal(rolledBack));
    expect((await get(`/prices/${made}`)).status).to.equal(404);
    const price = await paymount.prices.create(acting, { product: product.id, ...EUR });
    expect((await paymount.prices.retrieve(acting, price.id)).product).to.equal(product.id);
    const { data } = await paymount.prices.list(acting, { product: product.id });
    expect(data.map(({ id }) => id)).to.deep.equal([price.id]);
    const renamed = await paymount.products.update(acting, product.id, { name: 'Renamed' });
    expect(renamed.name).to.equal('Renamed');
    expect((await paymount.products.list(acting, { ids: [product.id] })).data.length).to.equal(1);
    const idle = await paymount.prices.update(acting, price.id, { active: false });
    expect(idle.active).to.equal(false);
    const spare = await paymount.products.create(acting, { name: 'Spare' });
    expect((await paymount.products.delete(acting, spare.id)).deleted).to.equal(true);
    expect((await paymount.products.retrieve(acting, product.id)).name).to.equal('Renamed');
  });
});
