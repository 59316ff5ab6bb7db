import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Acting, PaymountError } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { toAuditEntry } from '../support/audit-rows.ts';

/** What JavaScript lets through. */
type Untyped = (...given: readonly unknown[]) => Promise<unknown>;

const SALE = { amount: 4_200, currency: 'eur', payment_method: 'pm_card_visa' } as const;
const SHOP = { name: 'Coffee', country: 'DE', default_currency: 'eur' } as const;
const KEY = { livemode: false, type: 'secret', name: 'Server' } as const;
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
      [accounts.create as Untyped, [], 'The parameters must be an object.'],
      [accounts.create as Untyped, [null], 'The parameters must be an object.'],
      [accounts.create as Untyped, ['Tea'], 'The parameters must be an object.'],
      [accounts.create as Untyped, [{}], 'name is required.'],
      [
        accounts.create as Untyped,
        [{ name: 7 }],
        'name must be one line of 1 to 200 characters, not only spaces, without bidirectional controls.',
      ],
      [accounts.create as Untyped, [{ name: 'Tea' }], 'country is required.'],
      [accounts.update as Untyped, [app.account, 'Tea'], 'The parameters must be an object.'],
      [keys.create as Untyped, [], 'The parameters must be an object.'],
      [keys.create as Untyped, [{}], 'account is required.'],
      [keys.create as Untyped, [{ account: app.account }], 'livemode is required.'],
      [
        keys.create as Untyped,
        [{ ...KEY, account: app.account, name: undefined }],
        'name is required.',
      ],
      [
        keys.create as Untyped,
        [{ ...KEY, account: app.account, type: 'restricted' }],
        'scopes is required: a restricted key has at least one.',
      ],
      [keys.update as Untyped, ['key_1', 'Tea'], 'The parameters must be an object.'],
      [keys.update as Untyped, ['key_1', {}], 'No such key: key_1'],
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
    const made = await accounts.create(SHOP);
    expect(await accounts.retrieve(made.id)).to.deep.equal(made);
    const error = await refusal(accounts.retrieve('acct_1'));
    expect([error.code, error.status]).to.deep.equal(['resource_missing', 404]);
    expect((await accounts.list({ limit: 1 })).data).to.deep.equal([made]);
    await accounts.suspend(made.id);
    const suspended = await accounts.list({ status: 'suspended' });
    expect(suspended.data.map(({ id }) => id)).to.deep.equal([made.id]);
  });

  it('answer accounts and keys as the management API shows them', async () => {
    const { accounts, keys } = app.paymount;
    const account = await accounts.create(SHOP);
    expect(account).to.deep.equal({
      id: account.id,
      object: 'account',
      name: 'Coffee',
      email: null,
      country: 'DE',
      default_currency: 'eur',
      status: 'active',
      suspended_at: null,
      created: account.created,
    });
    const { secret, ...key } = await keys.create({ ...KEY, account: account.id });
    expect(secret).to.match(/^sk_test_/);
    expect(key).to.include({ object: 'api_key', account: account.id, livemode: false });
    expect(await keys.retrieve(key.id)).to.deep.equal(key);
    const live = await keys.create({ ...KEY, account: account.id, livemode: true });
    const list = { object: 'list', url: '/keys', has_more: false, data: [key] };
    expect(await keys.list({ account: account.id, livemode: false })).to.deep.equal(list);
    const first = await keys.list({ account: account.id, limit: 1 });
    expect([first.has_more, first.data.map(({ id }) => id)]).to.deep.equal([true, [live.id]]);
    const rest = await keys.list({ account: account.id, limit: 1, starting_after: live.id });
    expect(rest).to.deep.equal(list);
    expect((await keys.usage(key.id)).requests_24h).to.equal(0);
    expect((await keys.ipSuggestions(key.id)).ranges).to.deep.equal([]);
  });

  it('make an account and a key once for an idempotency key, and show the key again', async () => {
    const { accounts, keys } = app.paymount;
    const once = { idempotencyKey: randomUUID() };
    const account = await accounts.create(SHOP, once);
    expect(await accounts.create(SHOP, once)).to.deep.equal(account);
    const other = await refusal(accounts.create({ ...SHOP, name: 'Tea' }, once));
    expect(other.code).to.equal('idempotency_key_mismatch');
    const facts = { ...KEY, account: account.id };
    const again = { idempotencyKey: randomUUID() };
    const made = await Promise.all([1, 2].map(() => keys.create(facts, again).catch(() => 'busy')));
    const key = await keys.create(facts, again);
    for (const each of made) expect(each).to.be.deep.oneOf(['busy', key]);
    const rotation = { idempotencyKey: randomUUID() };
    const next = await keys.rotate(key.id, {}, rotation);
    expect(await keys.rotate(key.id, {}, rotation)).to.deep.equal(next);
    const known = (await keys.list({ account: account.id })).data.map(({ id }) => id);
    expect(known).to.deep.equal([next.id, key.id]);
    const refused = { idempotencyKey: randomUUID() };
    const late = await refusal(keys.rotate(key.id, {}, refused));
    expect(late.code).to.equal('key_not_rotatable');
    expect((await refusal(keys.rotate(key.id, {}, refused))).message).to.equal(late.message);
    const wrong = await refusal(keys.revoke(key.id, {}, { idempotencyKey: '' }));
    expect(wrong.code).to.equal('idempotency_key_invalid');
  });

  it('name a parameter or an option of accounts and keys that there is not', async () => {
    const { accounts, keys } = app.paymount;
    const calls: readonly (readonly [Untyped, readonly unknown[], string])[] = [
      [accounts.create as Untyped, [{ ...SHOP, defaultCurrency: 'eur' }], 'defaultCurrency'],
      [accounts.list as Untyped, [{ startingAfter: 'acct_1' }], 'startingAfter'],
      [keys.create as Untyped, [{ ...KEY, accountId: app.account }], 'accountId'],
      [keys.update as Untyped, ['key_1', { allowedIps: null }], 'allowedIps'],
      [keys.rotate as Untyped, ['key_1', { overlapSeconds: 1 }], 'overlapSeconds'],
      [keys.list as Untyped, [{ environment: 'test' }], 'environment'],
    ];
    for (const [call, given, param] of calls) {
      const error = await refusal(call(...given));
      expect([error.code, error.param, error.message]).to.deep.equal([
        'parameter_unknown',
        param,
        `There is no parameter ${param} here.`,
      ]);
    }
    const reason = await refusal((keys.revoke as Untyped)('key_1', 'leak'));
    expect(reason.message).to.equal('The parameters must be an object.');
    const end = new Date(0);
    const date = await refusal((keys.update as Untyped)('key_1', { expires_at: end }));
    expect([date.code, date.param]).to.deep.equal(['parameter_invalid', 'expires_at']);
    const option = await refusal(
      (accounts.suspend as Untyped)(app.account, { idempotency_key: 'k' }),
    );
    expect([option.name, option.message]).to.deep.equal([
      'TypeError',
      'The last parameter of accounts.suspend() has no option `idempotency_key`; did you mean `idempotencyKey`?',
    ]);
  });

  it('say in the audit log and of a key who asked', async () => {
    const { accounts, keys } = app.paymount;
    const by = { actor: { type: 'admin', id: 'ann' }, via: 'session' } as const;
    const account = await accounts.create(SHOP, { by });
    const key = await keys.create({ ...KEY, account: account.id }, { by });
    expect(key.created_by).to.equal('ann');
    const revoked = await keys.revoke(key.id);
    expect([revoked.status, revoked.revoked_reason]).to.deep.equal(['revoked', 'admin']);
    const rows = await toAuditEntry(app.databaseUrl, account.id);
    expect(
      rows.map(({ action, actor_type: type, actor_id: id, via }) => [action, type, id, via]),
    ).to.deep.equal([['account.create', 'admin', 'ann', 'session']]);
  });

  for (const [by, param] of [
    [{}, 'by[actor]'],
    [{ actor: { type: 'admin', id: 'ann' } }, 'by[via]'],
    [{ actor: { type: 'robot', id: 'ann' }, via: 'session' }, 'by[actor][type]'],
    [{ actor: { type: 'admin', id: 'a\u0000b' }, via: 'session' }, 'by[actor][id]'],
    [{ actor: { type: 'admin', id: '' }, via: 'session' }, 'by[actor][id]'],
    [{ actor: { type: 'admin', id: 'ann' }, via: 'carrier pigeon' }, 'by[via]'],
    [{ actor: { type: 'admin', id: 'ann' }, via: 'session', ip: 'here' }, 'by[ip]'],
    [{ actor: { type: 'admin', id: 'ann' }, via: 'session', requestId: 5 }, 'by[requestId]'],
    [{ actor: { type: 'admin', id: 'ann' }, via: 'session', requestId: 'r' }, 'by[requestId]'],
  ] as const) {
    it(`refuse to say wrongly who asked, naming ${param}: ${JSON.stringify(by)}`, async () => {
      const create = app.paymount.accounts.create as Untyped;
      const { code, status, param: named } = await refusal(create(SHOP, { by }));
      expect([status, named]).to.deep.equal([400, param]);
      expect(code).to.match(/^parameter_/);
    });
  }

  it('name a member of who asked that there is not', async () => {
    const create = app.paymount.accounts.create as Untyped;
    const by = { actor: { type: 'admin', id: 'ann' }, via: 'session', role: 'boss' };
    const error = await refusal(create(SHOP, { by }));
    expect([error.name, error.message]).to.deep.equal([
      'TypeError',
      'The last parameter of accounts.create() has no option `by.role`; did you mean `by.via`?',
    ]);
  });

  it('make an account without an address from null, as accounts are shown', async () => {
    const { accounts } = app.paymount;
    const account = await accounts.create({ ...SHOP, email: null });
    expect(account.email).to.equal(null);
    expect((await accounts.create({ ...SHOP, email: '' })).email).to.equal(null);
  });
});
