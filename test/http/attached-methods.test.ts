import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, JSON_TYPE, postJson, type Reply } from '../support/ask.ts';
import { withClient } from '../support/database.ts';
import { tableContents } from '../support/table-contents.ts';

const SALE = { amount: 1_200, currency: 'eur' };

describe('the payment methods of a customer', function () {
  this.timeout(60_000);
  let app: TestApp;
  let knex: Knex;
  before(async () => {
    app = await startApp({ paymount: { rateLimit: false } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 2 } });
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });

  const post = (path: string, body: object = {}, more: Ask = {}): Promise<Reply> =>
    postJson(`${app.url}/v1/${path}`, body, { key: app.secretKey, ...more });
  const get = (path: string) => ask(`${app.url}/v1/${path}`, { key: app.secretKey });
  const make = async (path: string, body: object = {}): Promise<string> => {
    const { status, json, text } = await post(path, body);
    expect(status, text).to.equal(200);
    return String(json['id']);
  };
  const newCustomer = (body: object = {}) => make('customers', body);
  const newMethod = (token = 'tok_visa') =>
    make('payment_methods', { type: 'card', card: { token } });
  const saved = (customer: string, token?: string) =>
    newMethod(token).then((id) => make(`payment_methods/${id}/attach`, { customer }));
  const refusal = ({ status, error }: Reply) => [status, error['code'], error['param']];
  const idsOf = ({ json }: Reply) => (json['data'] as { id: string }[]).map(({ id }) => id);

  it('is attached to one customer, and pays many charges of this customer', async () => {
    const customer = await newCustomer();
    const method = await saved(customer);
    expect((await get(`payment_methods/${method}`)).json['customer']).to.equal(customer);
    for (const body of [{ payment_method: method }, { payment_method: method, customer }]) {
      const { status, json } = await post('charges', { ...SALE, ...body });
      expect([status, json['status'], json['customer'], json['payment_method']]).to.deep.equal([
        200,
        'succeeded',
        customer,
        method,
      ]);
    }
  });

  it('gets another expiry, but none in the past', async () => {
    const method = await newMethod();
    const changed = await post(`payment_methods/${method}`, {
      card: { exp_month: 2, exp_year: 2041 },
    });
    expect(changed.json['card']).to.include({ exp_month: 2, exp_year: 2041 });
    const past = await post(`payment_methods/${method}`, { card: { exp_year: 2020 } });
    expect(refusal(past)).to.deep.equal([402, 'invalid_expiry_year', 'card[exp_year]']);
    const { json } = await get(`payment_methods/${method}`);
    expect(json['card']).to.include({ exp_month: 2, exp_year: 2041 });
  });

  it('pays a charge that names only the customer, if it is the default', async () => {
    const customer = await newCustomer({
      payment_method: 'pm_card_mastercard',
      invoice_settings: { default_payment_method: 'pm_card_mastercard' },
    });
    const { json } = await post('charges', { ...SALE, customer });
    expect(json['status']).to.equal('succeeded');
    expect(json['payment_method_details']).to.have.nested.property('card.brand', 'mastercard');
    const visa = await saved(customer);
    await post(`customers/${customer}`, { invoice_settings: { default_payment_method: visa } });
    expect((await post('charges', { ...SALE, customer })).json['payment_method']).to.equal(visa);
    await post(`customers/${customer}`, { invoice_settings: { default_payment_method: '' } });
    const { status, error } = await post('charges', { ...SALE, customer });
    expect([status, error['code'], error['param'], error['message']]).to.deep.equal([
      400,
      'parameter_missing',
      'payment_method',
      `Customer ${customer} has no default payment method. Send payment_method, or set invoice_settings[default_payment_method] of the customer.`,
    ]);
  });

  it('is attached by a name of the sandbox too', async () => {
    const customer = await newCustomer();
    const { json } = await post('payment_methods/pm_card_amex/attach', { customer });
    expect(json).to.deep.include({ object: 'payment_method', customer });
    expect(json).to.have.nested.property('card.brand', 'amex');
  });

  it('attaches a card whose charges are declined', async () => {
    const customer = await newCustomer();
    const method = await saved(customer, 'tok_chargeCustomerFail');
    const { status, error } = await post('charges', { ...SALE, payment_method: method });
    expect([status, error['code']]).to.deep.equal([402, 'card_declined']);
  });

  it('is listed in both places, newest first, and retrieved below its customer only', async () => {
    const customer = await newCustomer();
    const other = await newCustomer();
    const [first, second] = [await saved(customer), await saved(customer)];
    for (const path of [
      `payment_methods?customer=${customer}&type=card`,
      `customers/${customer}/payment_methods`,
    ]) {
      expect(idsOf(await get(path))).to.deep.equal([second, first]);
    }
    const page = await get(`payment_methods?customer=${customer}&limit=1`);
    expect([idsOf(page), page.json['has_more'], page.json['url']]).to.deep.equal([
      [second],
      true,
      '/v1/payment_methods',
    ]);
    const next = await get(`payment_methods?customer=${customer}&starting_after=${second}`);
    expect(idsOf(next)).to.deep.equal([first]);
    const path = `payment_methods/${first}`;
    expect((await get(`customers/${customer}/${path}`)).json['id']).to.equal(first);
    expect(refusal(await get(`customers/${other}/${path}`))).to.deep.equal([
      404,
      'resource_missing',
      undefined,
    ]);
    expect(refusal(await get('payment_methods'))).to.deep.equal([
      400,
      'parameter_missing',
      'customer',
    ]);
  });

  it('is not used, attached or detached again once it is detached', async () => {
    const customer = await newCustomer();
    const method = await saved(customer);
    await post(`customers/${customer}`, { invoice_settings: { default_payment_method: method } });
    const detached = await post(`payment_methods/${method}/detach`);
    expect([detached.status, detached.json['customer']]).to.deep.equal([200, null]);
    expect((await get(`customers/${customer}`)).json['invoice_settings']).to.deep.equal({
      default_payment_method: null,
    });
    expect(idsOf(await get(`payment_methods?customer=${customer}`))).to.deep.equal([]);
    expect(refusal(await post('charges', { ...SALE, payment_method: method }))).to.deep.equal([
      400,
      'payment_method_unusable',
      'payment_method',
    ]);
    expect(refusal(await post(`payment_methods/${method}/attach`, { customer }))).to.deep.equal([
      400,
      'payment_method_unusable',
      undefined,
    ]);
    expect(refusal(await post(`payment_methods/${method}/detach`))).to.deep.equal([
      400,
      'payment_method_unattached',
      undefined,
    ]);
  });

  it('is refused for another customer, and before it is attached', async () => {
    const [customer, other] = [await newCustomer(), await newCustomer()];
    const [attached, free] = [await saved(customer), await newMethod()];
    for (const [body, code, param] of [
      [{ payment_method: attached, customer: other }, 'payment_method_unattached', 'customer'],
      [{ payment_method: free, customer }, 'payment_method_unattached', 'customer'],
      [{ customer: 'cus_none' }, 'resource_missing', 'customer'],
    ] as const) {
      expect(refusal(await post('charges', { ...SALE, ...body }))).to.deep.equal([
        400,
        code,
        param,
      ]);
    }
    const moved = await post(`payment_methods/${attached}/attach`, { customer: other });
    expect(refusal(moved)).to.deep.equal([400, 'payment_method_unusable', undefined]);
    expect(moved.error['message']).to.equal(
      `Payment method ${attached} is attached to customer ${customer}. Name this customer, or create another payment method.`,
    );
    const chosen = { invoice_settings: { default_payment_method: free } };
    expect(refusal(await post(`customers/${customer}`, chosen))).to.deep.equal([
      400,
      'payment_method_unattached',
      'invoice_settings[default_payment_method]',
    ]);
    const again = await post(`payment_methods/${attached}/attach`, { customer });
    expect([again.status, again.json['customer']]).to.deep.equal([200, customer]);
  });

  it('cannot be attached after it has paid a charge', async () => {
    const method = await newMethod();
    await post('charges', { ...SALE, payment_method: method });
    const customer = await newCustomer();
    expect(refusal(await post(`payment_methods/${method}/attach`, { customer }))).to.deep.equal([
      400,
      'payment_method_unusable',
      undefined,
    ]);
    const before = await tableContents(app.databaseUrl);
    expect(refusal(await post('customers', { payment_method: method }))).to.deep.equal([
      400,
      'payment_method_unusable',
      'payment_method',
    ]);
    expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
  });

  it('is detached when its customer is deleted, and the charges keep the customer', async () => {
    const customer = await newCustomer();
    const method = await saved(customer);
    const { json: charge } = await post('charges', { ...SALE, payment_method: method });
    await ask(`${app.url}/v1/customers/${customer}`, {
      key: app.secretKey,
      method: 'DELETE',
      headers: JSON_TYPE,
    });
    expect((await get(`payment_methods/${method}`)).json['customer']).to.equal(null);
    expect(refusal(await post('charges', { ...SALE, payment_method: method }))).to.deep.equal([
      400,
      'payment_method_unusable',
      'payment_method',
    ]);
    expect(refusal(await post('charges', { ...SALE, customer }))).to.deep.equal([
      400,
      'resource_missing',
      'customer',
    ]);
    const shown = await get(`charges/${charge['id']}?expand[]=customer`);
    expect(shown.json['customer']).to.deep.equal({
      id: customer,
      object: 'customer',
      deleted: true,
    });
    expect(refusal(await get(`payment_methods?customer=${customer}`))).to.deep.equal([
      400,
      'resource_missing',
      'customer',
    ]);
  });

  it('narrows the list of charges to a customer', async () => {
    const [customer, other] = [
      await newCustomer({ payment_method: 'pm_card_visa' }),
      await newCustomer(),
    ];
    const [method = ''] = idsOf(await get(`payment_methods?customer=${customer}`));
    const charges = [];
    for (let count = 0; count < 3; count += 1) {
      charges.unshift(await make('charges', { ...SALE, payment_method: method }));
    }
    expect(idsOf(await get(`charges?customer=${customer}`))).to.deep.equal(charges);
    const next = await get(`charges?customer=${customer}&starting_after=${charges[0]}&limit=1`);
    expect([idsOf(next), next.json['has_more']]).to.deep.equal([[charges[1]], true]);
    expect(idsOf(await get(`charges?customer=${customer}&status=failed`))).to.deep.equal([]);
    expect(idsOf(await get(`charges?customer=${other}`))).to.deep.equal([]);
    expect(refusal(await get('charges?customer=nobody'))).to.deep.equal([
      400,
      'resource_missing',
      'customer',
    ]);
  });

  it('is expanded in customers and charges', async () => {
    const customer = await newCustomer({
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    });
    const path = 'invoice_settings.default_payment_method';
    const shown = await get(`customers/${customer}?expand[]=${path}.customer`);
    expect(shown.json).to.have.nested.property(`${path}.customer.id`, customer);
    const listed = await get(`customers?limit=1&expand[]=data.${path}`);
    expect(listed.json).to.have.nested.property(`data[0].${path}.card.brand`, 'visa');
    const charge = await post('charges', { ...SALE, customer, expand: ['customer'] });
    expect(charge.json).to.have.nested.property('customer.object', 'customer');
  });

  it('belongs to a customer who has at most 100', async () => {
    const customer = await newCustomer();
    await withClient(app.databaseUrl, (client) =>
      client.query(
        `INSERT INTO paymount.payment_methods (id, account_id, livemode, version, type, card,
          processor_token, billing_details, metadata, customer_id, created)
        SELECT 'pm_' || lpad(n::text, 26, '0'), account_id, livemode, 1, 'card', '{}', 'x', '{}', '{}', id, created
        FROM paymount.customers, generate_series(1, 99) n WHERE id = $1`,
        [customer],
      ),
    );
    const last = await saved(customer);
    const method = await newMethod();
    expect(refusal(await post(`payment_methods/${method}/attach`, { customer }))).to.deep.equal([
      400,
      'payment_method_limit_reached',
      undefined,
    ]);
    await post(`payment_methods/${last}/detach`);
    expect(await make(`payment_methods/${method}/attach`, { customer })).to.equal(method);
  });

  it('is attached by one of 20 customers who ask at once', async () => {
    const method = await newMethod();
    const customers = await Promise.all(Array.from({ length: 20 }, () => newCustomer()));
    const replies = await Promise.all(
      customers.map((customer) => post(`payment_methods/${method}/attach`, { customer })),
    );
    const done = replies.filter(({ status }) => status === 200);
    expect(done.map(({ json }) => json['customer'])).to.have.lengthOf(1);
    for (const { status, error } of replies) {
      if (status !== 200)
        expect(error['code']).to.match(/^(?:payment_method_unusable|lock_timeout)$/);
    }
    const { json } = await get(`payment_methods/${method}`);
    expect(json['customer']).to.equal(done[0]?.json['customer']);
  });

  it('pays no charge that begins after its detachment was answered', async () => {
    for (let round = 0; round < 5; round += 1) {
      const customer = await newCustomer();
      const method = await saved(customer);
      const charge = () => post('charges', { ...SALE, payment_method: method });
      const racing = [charge(), charge(), post(`payment_methods/${method}/detach`), charge()];
      const replies = await Promise.all(racing);
      for (const { status, error, text } of replies) {
        if (status === 200) continue;
        expect([status, error['code']], text).to.deep.equal([400, 'payment_method_unusable']);
      }
      expect(replies[2]?.status).to.equal(200);
      expect(refusal(await charge())).to.deep.equal([
        400,
        'payment_method_unusable',
        'payment_method',
      ]);
    }
  });

  it('is never the default of a customer from whom it is being detached', async () => {
    for (let round = 0; round < 5; round += 1) {
      const customer = await newCustomer();
      const method = await saved(customer);
      const chosen = { invoice_settings: { default_payment_method: method } };
      const [, detached] = await Promise.all([
        post(`customers/${customer}`, chosen),
        post(`payment_methods/${method}/detach`),
      ]);
      expect(detached?.status).to.equal(200);
      expect((await get(`customers/${customer}`)).json['invoice_settings']).to.deep.equal({
        default_payment_method: null,
      });
    }
  });

  it('is not left behind by an attachment beside the deletion of its customer', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [customer, method] = [await newCustomer(), await newMethod()];
      const [attached] = await Promise.all([
        post(`payment_methods/${method}/attach`, { customer }),
        ask(`${app.url}/v1/customers/${customer}`, {
          key: app.secretKey,
          method: 'DELETE',
          headers: JSON_TYPE,
        }),
      ]);
      expect(attached?.status).to.be.oneOf([200, 400]);
      expect((await get(`payment_methods/${method}`)).json['customer']).to.equal(null);
    }
  });

  it('is attached, used and detached in the transaction of the host', async () => {
    const { paymount, acting } = app;
    const method = await newMethod();
    const made = await knex.transaction(async (trx) => {
      const bound = paymount.using(trx);
      const customer = await bound.customers.create(acting, { payment_method: method });
      const charge = await bound.charges.create(acting, { ...SALE, payment_method: method });
      return { customer: customer.id, charge: charge.id };
    });
    const charge = await paymount.charges.retrieve(acting, made.charge);
    expect(charge.customer).to.equal(made.customer);
    const listed = await paymount.paymentMethods.list(acting, { customer: made.customer });
    expect(listed.data.map(({ id }) => id)).to.deep.equal([method]);
    await knex
      .transaction(async (trx) => {
        await paymount.using(trx).paymentMethods.detach(acting, method);
        throw new Error('the host changed its mind');
      })
      .catch(() => undefined);
    expect((await get(`payment_methods/${method}`)).json['customer']).to.equal(made.customer);
    expect((await paymount.paymentMethods.detach(acting, method)).customer).to.equal(null);
  });
});
