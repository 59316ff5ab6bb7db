import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, JSON_TYPE, postForm, postJson } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { withClient } from '../support/database.ts';
import { tableContents } from '../support/table-contents.ts';

const CLOCK = '2026-11-21T12:00:00.000Z';
const ADDRESS = {
  line1: 'Unter den Linden 1',
  city: 'Berlin',
  postal_code: '10117',
  country: 'DE',
};
const STORED_ADDRESS = { ...ADDRESS, line2: null, state: null };
/** What a customer without any field is. */
const EMPTY = {
  object: 'customer',
  livemode: false,
  created: CLOCK,
  metadata: {},
  email: null,
  name: null,
  phone: null,
  description: null,
  address: null,
  shipping: null,
  currency: null,
  balance: 0,
  invoice_credit_balance: {},
  delinquent: false,
  invoice_settings: { default_payment_method: null },
  preferred_locales: [],
  test_clock: null,
};

describe('/v1/customers', () => {
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

  const url = (path = '') => `${app.url}/v1/customers${path}`;
  const key = () => ({ key: app.secretKey });
  const post = (body: object, path = '', more: Ask = {}) =>
    postJson(url(path), body, { ...key(), ...more });
  const get = (path: string) => ask(url(path), key());
  const remove = (id: string, headers = {}) =>
    ask(url(`/${id}`), { ...key(), method: 'DELETE', headers: { ...JSON_TYPE, ...headers } });
  const create = async (body: object): Promise<string> => {
    const { status, json, text } = await post(body);
    expect(status, text).to.equal(200);
    return String(json['id']);
  };

  it('creates one without any field, and one with all', async () => {
    const { id, ...empty } = (await post({})).json;
    expect(id).to.match(/^cus_/);
    expect(empty).to.deep.equal(EMPTY);
    const all = {
      email: 'ada@example.com',
      name: 'Ada',
      phone: '+49 30 1',
      description: 'Buys tea',
      balance: -500,
      preferred_locales: ['de', 'pt-BR'],
      metadata: { tier: 'gold' },
    };
    const shipping = { name: 'Ada', phone: '+49 30 2', address: ADDRESS };
    const { id: full, ...made } = (await post({ ...all, address: ADDRESS, shipping })).json;
    const expected = {
      ...EMPTY,
      ...all,
      currency: 'eur',
      invoice_credit_balance: { eur: 500 },
      address: STORED_ADDRESS,
      shipping: { ...shipping, address: STORED_ADDRESS },
    };
    expect(made).to.deep.equal(expected);
    expect((await get(`/${full}`)).json).to.deep.equal({ id: full, ...expected });
  });

  it('takes a credit from a form, as the official SDKs write it', async () => {
    const { json } = await postForm(url(), 'balance=-500', key());
    expect(json['balance']).to.equal(-500);
  });

  it('changes what is sent, removes what is sent empty, and leaves the rest', async () => {
    const id = await create({
      email: 'a@example.com',
      name: 'Ada',
      phone: '1',
      address: ADDRESS,
      preferred_locales: ['de'],
      metadata: { a: '1', b: '2' },
      balance: 7,
    });
    const { json } = await post(
      { name: 'Ada L.', phone: '', address: '', preferred_locales: '', metadata: { a: '' } },
      `/${id}`,
    );
    expect(json).to.deep.equal({
      ...EMPTY,
      id,
      email: 'a@example.com',
      name: 'Ada L.',
      metadata: { b: '2' },
      currency: 'eur',
      balance: 7,
      invoice_credit_balance: { eur: -7 },
    });
  });

  it('lists the newest first, by e-mail exactly as it was sent, and page by page', async () => {
    const email = 'list@example.com';
    const ids = [];
    for (const name of ['1', '2', '3']) ids.unshift(await create({ email, name }));
    await create({ email: 'List@example.com' });
    const idsOf = async (query: string) => {
      const { json } = await get(`?${query}`);
      return [(json['data'] as { id: string }[]).map(({ id }) => id), json['has_more']];
    };
    expect(await idsOf(`email=${email}`)).to.deep.equal([ids, false]);
    const [newest, , oldest] = ids;
    expect(await idsOf(`email=${email}&limit=2`)).to.deep.equal([ids.slice(0, 2), true]);
    expect(await idsOf(`email=${email}&starting_after=${newest}`)).to.deep.equal([
      ids.slice(1),
      false,
    ]);
    expect(await idsOf(`email=${email}&ending_before=${oldest}`)).to.deep.equal([
      ids.slice(0, 2),
      false,
    ]);
    expect(await idsOf(`email=${email}&created[gt]=${CLOCK}`)).to.deep.equal([[], false]);
  });

  it('keeps nothing of a deleted customer but its id', async () => {
    const email = 'leaving@example.com';
    const id = await create({
      email,
      name: 'Grace-the-leaver',
      phone: '030-leaver',
      description: 'leaver',
      address: { ...ADDRESS, line1: 'Leaver street' },
      metadata: { note: 'leaver' },
      shipping: { name: 'leaver', address: ADDRESS },
      preferred_locales: ['en'],
      balance: 5,
    });
    const methods = `${app.url}/v1/payment_methods`;
    const saved = await postJson(
      methods,
      {
        type: 'card',
        card: { token: 'tok_visa' },
        metadata: { note: 'leaver' },
        billing_details: { name: 'leaver', email, address: { ...ADDRESS, line1: 'Leaver street' } },
      },
      key(),
    );
    const method = String(saved.json['id']);
    const attached = await postJson(`${methods}/${method}/attach`, { customer: id }, key());
    expect(attached.status, attached.text).to.equal(200);
    const gone = { id, object: 'customer', deleted: true };
    const { status, json } = await remove(id);
    expect([status, json]).to.deep.equal([200, gone]);
    expect((await get(`/${id}`)).json).to.deep.equal(gone);
    expect((await get(`?email=${email}`)).json['data']).to.deep.equal([]);
    const row = await withClient(app.databaseUrl, async (client) => {
      const select = 'SELECT c::text AS row FROM paymount.customers c WHERE id = $1';
      return (await client.query<{ row: string }>(select, [id])).rows[0]?.row;
    });
    expect(row).to.include(id);
    expect(row).not.to.match(/leav/i);
    const detached = await ask(`${app.url}/v1/payment_methods/${method}`, { key: app.secretKey });
    expect([detached.status, detached.json['customer']]).to.deep.equal([200, null]);
    expect(detached.text).not.to.match(/leav/i);
    expect(detached.json['metadata']).to.deep.equal({});
  });

  it('neither changes nor deletes a deleted customer', async () => {
    const id = await create({ name: 'Grace' });
    await remove(id);
    for (const { status, error } of [await post({ name: 'Back' }, `/${id}`), await remove(id)]) {
      expect([status, error['code'], error['message']]).to.deep.equal([
        404,
        'resource_missing',
        `No such customer: ${id}`,
      ]);
    }
  });

  it('pages on from a customer that was deleted meanwhile', async () => {
    const email = 'paging@example.com';
    const [third, second, first] = [
      await create({ email }),
      await create({ email }),
      await create({ email }),
    ];
    await remove(second);
    const { json } = await get(`?email=${email}&starting_after=${second}`);
    expect((json['data'] as { id: string }[]).map(({ id }) => id)).to.deep.equal([third]);
    expect(first).to.match(/^cus_/);
  });

  it('creates, changes and deletes once for an idempotency key', async () => {
    const headers = (name: string) => ({ headers: { 'idempotency-key': name } });
    const [one, other] = [
      await post({ name: 'Once' }, '', headers('create')),
      await post({ name: 'Once' }, '', headers('create')),
    ];
    expect(other.text).to.equal(one.text);
    expect(other.headers['idempotent-replayed']).to.equal('true');
    const id = String(one.json['id']);
    const deletions = [];
    for (let tries = 0; tries < 2; tries += 1) {
      deletions.push((await remove(id, { 'idempotency-key': 'delete' })).json);
    }
    const gone = { id, object: 'customer', deleted: true };
    expect(deletions).to.deep.equal([gone, gone]);
  });

  it('loses no change of 20 at once', async () => {
    const id = await create({});
    const names = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const answers = await Promise.all(
      names.map((name) => post({ metadata: { [name]: 'yes' } }, `/${id}`)),
    );
    for (const { status, error } of answers) {
      // Beyond the retries of one request the caller is told to try again.
      if (status !== 200) expect(error['code']).to.equal('lock_timeout');
    }
    const changed = names.filter((_, index) => answers[index]?.status === 200);
    const { metadata } = (await get(`/${id}`)).json;
    expect(metadata).to.have.all.keys(changed);
  });

  for (const [what, body, param, code] of [
    ['an e-mail that is none', { email: 'ada' }, 'email', 'parameter_invalid'],
    ['a balance with a fraction', { balance: 1.5 }, 'balance', 'parameter_invalid_integer'],
    ['a balance beyond all', { balance: -100_000_000 }, 'balance', 'parameter_invalid'],
    [
      'a language that is none',
      { preferred_locales: ['d'] },
      'preferred_locales[0]',
      'parameter_invalid',
    ],
    [
      'eleven languages',
      { preferred_locales: Array(11).fill('de') },
      'preferred_locales',
      'parameter_invalid',
    ],
    [
      'a country that is none',
      { address: { country: 'de' } },
      'address[country]',
      'parameter_invalid',
    ],
    [
      'shipping without a name',
      { shipping: { address: {} } },
      'shipping[name]',
      'parameter_missing',
    ],
    ['a long name', { name: 'x'.repeat(201) }, 'name', 'parameter_invalid'],
    [
      'long metadata',
      { metadata: { k: 'x'.repeat(501) } },
      'metadata[k]',
      'metadata_limit_exceeded',
    ],
    ['an unknown field', { nickname: 'Ada' }, 'nickname', 'parameter_unknown'],
  ] as const) {
    it(`refuses ${what}, and makes nothing`, async () => {
      const before = await tableContents(app.databaseUrl);
      const { status, error } = await post(body);
      expect([status, error['code'], error['param']]).to.deep.equal([400, code, param]);
      expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
    });
  }

  it('belongs to the transaction of the host', async () => {
    const { paymount, acting } = app;
    let undone = '';
    const work = knex.transaction(async (trx) => {
      undone = (await paymount.using(trx).customers.create(acting, { name: 'Undone' })).id;
      throw new Error('the host changed its mind');
    });
    await work.catch(() => undefined);
    expect(undone).to.match(/^cus_/);
    expect((await get(`/${undone}`)).status).to.equal(404);
    const kept = await knex.transaction((trx) =>
      paymount.using(trx).customers.create(acting, { name: 'Kept' }),
    );
    expect(await paymount.customers.retrieve(acting, kept.id)).to.deep.equal(kept);
    expect((await paymount.customers.list(acting, { limit: 1 })).data).to.deep.equal([kept]);
    const renamed = await paymount.customers.update(acting, kept.id, { name: 'Ada' });
    expect(renamed).to.deep.equal({ ...kept, name: 'Ada' });
    await paymount.customers.delete(acting, kept.id);
    expect((await get(`/${kept.id}`)).json['deleted']).to.equal(true);
  });
});
