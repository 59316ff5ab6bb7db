import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Acting, PaymountError } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';

/** What JavaScript lets through. */
type Untyped = (...given: readonly unknown[]) => Promise<unknown>;

const SALE = { amount: 4_200, currency: 'eur', payment_method: 'pm_card_visa' } as const;
const HOOK = { url: 'http://127.0.0.1:9/', enabled_events: ['charge.*'] } as const;

describe("the host's own calls", () => {
  let app: TestApp;
  let acting: Acting;

  before(async () => {
    app = await startApp();
    acting = { account: app.account, environment: 'test' };
  });
  after(() => app.close());

  const refusal = async (work: Promise<unknown>): Promise<PaymountError> =>
    (await work.then(
      () => 'nothing was refused',
      (error: unknown) => error,
    )) as PaymountError;

  it('list charges, newest first, a page at a time, as the route does', async () => {
    const { charges } = app.paymount;
    const first = await charges.create(acting, SALE);
    const second = await charges.create(acting, { ...SALE, payment_method: 'pm_card_visa' });
    const page = await charges.list(acting, { limit: 1 });
    expect(page).to.deep.equal({
      object: 'list',
      url: '/v1/charges',
      has_more: true,
      data: [second],
    });
    const rest = await charges.list(acting, { limit: 1, starting_after: second.id });
    expect(rest.data).to.deep.equal([first]);
    const since = { gt: new Date(Date.parse(second.created) + 1).toISOString() };
    expect((await charges.list(acting, { created: since })).data).to.deep.equal([]);
    const live = await charges.list({ ...acting, environment: 'live' });
    expect(live.data).to.deep.equal([]);
    const error = await refusal(charges.list(acting, { limit: 101 }));
    expect([error.code, error.param]).to.deep.equal(['parameter_invalid', 'limit']);
  });

  it('list, change and withdraw refunds, and change payment methods', async () => {
    const { charges, paymentMethods, refunds } = app.paymount;
    const charge = await charges.create(acting, SALE);
    const refund = await refunds.create(acting, { charge: charge.id, amount: 200 });
    const noted = await refunds.update(acting, refund.id, { metadata: { ticket: 'T1' } });
    expect(noted).to.deep.equal({ ...refund, metadata: { ticket: 'T1' } });
    expect((await refunds.list(acting, { charge: charge.id })).data).to.deep.equal([noted]);
    const error = await refusal(refunds.cancel(acting, refund.id));
    expect([error.code, error.status]).to.deep.equal(['status_transition_invalid', 400]);
    const method = await paymentMethods.create(acting, {
      type: 'card',
      card: { token: 'tok_visa' },
    });
    const billing = { billing_details: { name: 'Ada' } };
    const changed = await paymentMethods.update(acting, method.id, billing);
    expect(changed.billing_details.name).to.equal('Ada');
  });

  it('register, list, change and delete webhook endpoints, and rotate their secrets', async () => {
    const { webhookEndpoints } = app.paymount;
    const { secret, ...made } = await webhookEndpoints.create(acting, HOOK);
    expect(await webhookEndpoints.retrieve(acting, made.id)).to.deep.equal(made);
    expect((await webhookEndpoints.list(acting)).data).to.deep.equal([made]);
    const changed = await webhookEndpoints.update(acting, made.id, { disabled: true });
    expect(changed.status).to.equal('disabled');
    const key = { ...acting, idempotencyKey: randomUUID() };
    const rotated = await webhookEndpoints.rotateSecret(key, made.id);
    expect(rotated.secret)
      .to.match(/^whsec_/)
      .and.not.to.equal(secret);
    expect((await webhookEndpoints.rotateSecret(key, made.id)).secret).to.equal(rotated.secret);
    await webhookEndpoints.delete(acting, made.id);
    expect((await webhookEndpoints.list(acting)).data).to.deep.equal([]);
  });

  it('throw errors with the type, code and status of the API', async () => {
    const { charges, refunds } = app.paymount;
    const declined = { ...SALE, payment_method: 'pm_card_visa_chargeDeclined' };
    const faults = [
      charges.create(acting, { ...SALE, amount: 0 }),
      charges.create(acting, declined),
      charges.retrieve(acting, 'ch_1'),
      refunds.create(acting, { charge: 'ch_1' }),
    ];
    const errors = await Promise.all(faults.map(refusal));
    expect(errors.map(({ type, code, status }) => [type, code, status])).to.deep.equal([
      ['invalid_request_error', 'amount_too_small', 400],
      ['card_error', 'card_declined', 402],
      ['invalid_request_error', 'resource_missing', 404],
      ['invalid_request_error', 'resource_missing', 400],
    ]);
  });

  it('name what is missing when an argument was left out', async () => {
    const { accounts, charges, keys, refunds } = app.paymount;
    const calls: readonly (readonly [Untyped, readonly unknown[], string])[] = [
      [accounts.create as Untyped, [], 'name is required.'],
      [accounts.create as Untyped, [null], 'name is required.'],
      [accounts.create as Untyped, ['Tea'], 'The parameters must be an object.'],
      [accounts.create as Untyped, [{ name: 7 }], 'name must be a text of 1 to 200 characters.'],
      [accounts.create as Untyped, [{ name: 'Tea' }], 'country is required.'],
      [accounts.update as Untyped, [app.account, 'Tea'], 'The parameters must be an object.'],
      [keys.create as Untyped, [], 'accountId is required.'],
      [keys.create as Untyped, [{ accountId: app.account }], 'environment is required.'],
      [
        keys.create as Untyped,
        [{ accountId: app.account, environment: 'test', type: 'secret' }],
        'name is required.',
      ],
      [
        keys.create as Untyped,
        [{ accountId: app.account, environment: 'test', type: 'restricted', name: 'Tea' }],
        'A restricted key has at least one scope.',
      ],
      [keys.update as Untyped, ['key_1', 'Tea'], 'The parameters must be an object.'],
      [keys.update as Untyped, ['key_1'], 'No such key: key_1'],
      [keys.rotate as Untyped, [], 'No such key.'],
      [keys.revoke as Untyped, [], 'No such key.'],
      [accounts.retrieve as Untyped, [], 'No such account.'],
      [charges.create as Untyped, [], 'account is required.'],
      [charges.create as Untyped, [acting], 'The parameters must be an object.'],
      [charges.create as Untyped, [acting, {}], 'amount is required.'],
      [charges.create as Untyped, [acting, 'SALE'], 'The parameters must be an object.'],
      [charges.create as Untyped, [app.account, SALE], 'account is required.'],
      [charges.retrieve as Untyped, [acting], 'No such charge.'],
      [refunds.create as Untyped, [acting, {}], 'charge is required.'],
    ];
    for (const [call, given, message] of calls) {
      const error = await refusal(call(...given));
      expect([error.name, error.message], JSON.stringify(given)).to.deep.equal([
        'PaymountError',
        message,
      ]);
    }
  });

  it('give an account by its id, and the accounts that there are', async () => {
    const { accounts } = app.paymount;
    const facts = { name: 'Coffee', country: 'DE', defaultCurrency: 'eur' };
    const made = await accounts.create(facts);
    expect(await accounts.retrieve(made.id)).to.deep.equal(made);
    const error = await refusal(accounts.retrieve('acct_1' as Acting['account']));
    expect([error.code, error.status]).to.deep.equal(['resource_missing', 404]);
    expect((await accounts.list({ limit: 1 })).data).to.deep.equal([made]);
    await accounts.suspend(made.id);
    const suspended = await accounts.list({ status: 'suspended' });
    expect(suspended.data.map(({ id }) => id)).to.deep.equal([made.id]);
  });
});
