import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { type Acting, type HostServices, PaymountError } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

/** What JavaScript lets through. */
type RawActing = Readonly<Record<string, unknown>> | undefined;

describe("the account of the host's own calls", () => {
  let app: TestApp;
  let knex: Knex;
  const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
  const card = { type: 'card', card: { token: 'tok_visa' } } as const;
  const endpoint = { url: 'http://127.0.0.1:9/', enabled_events: ['*'] } as const;

  before(async () => {
    app = await startApp();
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 4 } });
    await knex.raw('CREATE TABLE orders (id text PRIMARY KEY)');
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });

  const test = (): Acting => ({ account: app.account, environment: 'test' });

  /** An id of the right form that names nothing. */
  const noSuch = (prefix: string): string => `${prefix}_${app.account.slice(5, -6)}000000`;
  const noAccount = (): Acting['account'] => noSuch('acct') as Acting['account'];

  /** The code, parameter and message of the `PaymountError` that `work` must throw. */
  async function refusal(work: Promise<unknown>): Promise<unknown> {
    const error = await work.catch((thrown: unknown) => thrown);
    if (!PaymountError.is(error)) return error;
    return [error.code, error.param, error.message];
  }

  /** Every call of a service, for `acting`. */
  function callsFor(services: HostServices, acting: RawActing): readonly Promise<unknown>[] {
    const { charges, refunds, paymentMethods, webhookEndpoints } = services;
    const as = acting as unknown as Acting;
    return [
      charges.create(as, sale),
      charges.retrieve(as, noSuch('ch')),
      charges.list(as),
      charges.update(as, noSuch('ch'), {}),
      charges.capture(as, noSuch('ch')),
      charges.cancel(as, noSuch('ch')),
      refunds.create(as, { charge: noSuch('ch') }),
      refunds.retrieve(as, noSuch('re')),
      refunds.list(as),
      refunds.update(as, noSuch('re'), {}),
      refunds.cancel(as, noSuch('re')),
      paymentMethods.create(as, card),
      paymentMethods.retrieve(as, noSuch('pm')),
      paymentMethods.update(as, noSuch('pm'), {}),
      webhookEndpoints.create(as, endpoint),
      webhookEndpoints.retrieve(as, noSuch('we')),
      webhookEndpoints.list(as),
      webhookEndpoints.update(as, noSuch('we'), {}),
      webhookEndpoints.rotateSecret(as, noSuch('we')),
      webhookEndpoints.delete(as, noSuch('we')),
    ];
  }

  async function rowsWritten(): Promise<number> {
    const tables = ['payment_methods', 'charges', 'operations', 'webhook_endpoints', 'events'];
    const rows = await Promise.all(tables.map((table) => knex(`paymount.${table}`)));
    return rows.flat().length;
  }

  it('are refused with `resource_missing` when there is no such account', async () => {
    const before = await rowsWritten();
    const account = noAccount();
    const { charges, paymentMethods, webhookEndpoints } = app.paymount;
    const acting = { account, environment: 'test' } as const;
    const keyed = { ...acting, idempotencyKey: randomUUID() };
    const refused = [
      await refusal(charges.create(acting, sale)),
      await refusal(paymentMethods.create(acting, card)),
      await refusal(webhookEndpoints.create(acting, endpoint)),
      await refusal(charges.create(keyed, sale)),
      await refusal(charges.create(keyed, sale)),
    ];
    const missing = ['resource_missing', 'account', `No such account: ${account}`];
    expect(refused).to.deep.equal([missing, missing, missing, missing, missing]);
    expect(await rowsWritten()).to.equal(before);
  });

  it("leave the host's transaction usable when there is no such account", async () => {
    const before = await rowsWritten();
    const account = noAccount();
    const missing = ['resource_missing', 'account', `No such account: ${account}`];
    const charge = await knex.transaction(async (trx) => {
      const { charges, webhookEndpoints } = app.paymount.using(trx);
      const acting = { account, environment: 'test' } as const;
      const keyed = { ...acting, idempotencyKey: randomUUID() };
      expect(await refusal(charges.create(acting, sale))).to.deep.equal(missing);
      expect(await refusal(charges.create(keyed, sale))).to.deep.equal(missing);
      expect(await refusal(webhookEndpoints.create(acting, endpoint))).to.deep.equal(missing);
      expect(await rowsWritten()).to.equal(before);
      await trx('orders').insert({ id: 'after' });
      return charges.create(test(), sale);
    });
    expect(await knex('orders').pluck('id')).to.deep.equal(['after']);
    // It goes on after the commit, and writes an event.
    const recorded = () => app.paymount.charges.retrieve(test(), charge.id);
    await eventually(recorded, ({ status }) => status === 'succeeded');
  });

  it('are refused by every call when the account or environment is invalid', async () => {
    const account = app.account;
    const accountNeeded = ['parameter_missing', 'account', 'account is required.'];
    const environmentNeeded = ['parameter_missing', 'environment', 'environment is required.'];
    const liveOrTest = ['parameter_invalid', 'environment', 'environment must be live or test.'];
    const noneSuch = ['resource_missing', 'account', 'No such account.'];
    const wrong: readonly (readonly [RawActing, readonly string[]])[] = [
      [undefined, accountNeeded],
      [{}, accountNeeded],
      [{ environment: 'test' }, accountNeeded],
      [{ account: undefined, environment: 'test' }, accountNeeded],
      [{ account: null, environment: 'test' }, noneSuch],
      [{ account: 7, environment: 'test' }, noneSuch],
      [{ account: 'The tea shop', environment: 'test' }, noneSuch],
      [{ account: 'acct_1\0', environment: 'test' }, noneSuch],
      [{ account }, environmentNeeded],
      [{ account, environment: 'prod' }, liveOrTest],
      [{ account, environment: 'prod', idempotencyKey: 'one' }, liveOrTest],
      [{ account, environment: ['test'] }, liveOrTest],
    ];
    for (const [acting, expected] of wrong) {
      const refused = await Promise.all(callsFor(app.paymount, acting).map(refusal));
      for (const error of refused) {
        expect(error, JSON.stringify(acting)).to.deep.equal(expected);
      }
    }
    const joined = await knex.transaction(async (trx) => {
      const calls = callsFor(app.paymount.using(trx), { account, environment: 'prod' });
      return Promise.all(calls.map(refusal));
    });
    for (const error of joined) expect(error).to.deep.equal(liveOrTest);
  });

  it('are refused as an unknown option is when they have a member that nothing reads', async () => {
    const misspelled = { ...test(), idempotencykey: randomUUID() };
    const refused = await Promise.all(callsFor(app.paymount, misspelled).map(refusal));
    for (const error of refused) {
      expect(error).to.be.an.instanceOf(TypeError);
      expect(String(error)).to.equal(
        'TypeError: acting has no option `idempotencykey`; did you mean `idempotencyKey`?',
      );
    }
  });

  it('are refused in live without a processor, as the router is, and nothing is kept', async () => {
    const before = [await rowsWritten(), await knex('paymount.idempotency_keys')];
    const live = { account: app.account, environment: 'live' } as const;
    const keyed = { ...live, idempotencyKey: randomUUID() };
    const paid = { amount: 4200, currency: 'eur', source: 'tok_visa' };
    const { charges, paymentMethods } = app.paymount;
    const refused = [
      await refusal(charges.create(live, paid)),
      await refusal(charges.create(keyed, paid)),
      await refusal(paymentMethods.create(keyed, card)),
      await knex.transaction((trx) => refusal(app.paymount.using(trx).charges.create(keyed, paid))),
    ];
    const needed = 'Live needs a processor: pass `processors: { live: yourAdapter }`.';
    for (const error of refused) {
      expect(error).to.deep.equal(['operation_not_supported', undefined, needed]);
    }
    expect([await rowsWritten(), await knex('paymount.idempotency_keys')]).to.deep.equal(before);
    expect(() => app.paymount.router({ environment: 'live' })).to.throw(needed);
  });

  it('get an error for an id that is not a string, and for parameters that are not an object', async () => {
    const { charges, refunds, webhookEndpoints } = app.paymount;
    const none = undefined as unknown as string;
    const noCharge = ['resource_missing', undefined, 'No such charge.'];
    expect(await refusal(charges.retrieve(test(), none))).to.deep.equal(noCharge);
    expect(await refusal(charges.capture(test(), 7 as unknown as string))).to.deep.equal(noCharge);
    expect(await refusal(refunds.retrieve(test(), none))).to.deep.equal([
      'resource_missing',
      undefined,
      'No such refund.',
    ]);
    expect(await refusal(webhookEndpoints.delete(test(), none))).to.deep.equal([
      'resource_missing',
      undefined,
      'No such webhook endpoint.',
    ]);
    for (const input of [undefined, null, 7, 'amount=4200', [sale]]) {
      expect(await refusal(charges.create(test(), input as never))).to.deep.equal([
        'parameter_invalid',
        undefined,
        'The parameters must be an object.',
      ]);
    }
  });

  it('get an error for a filter that is empty, and never the whole list', async () => {
    const { charges, customers, disputes, payouts, refunds } = app.paymount;
    const lists = {
      customer: charges.list(test(), { customer: '' }),
      test_clock: customers.list(test(), { test_clock: '' }),
      charge: disputes.list(test(), { charge: '' }),
      destination: payouts.list(test(), { destination: '' }),
    };
    for (const [param, list] of Object.entries(lists)) {
      const [code, named] = (await refusal(list)) as unknown[];
      expect([code, named]).to.deep.equal(['parameter_invalid_empty', param]);
    }
    const ofCharge = (await refusal(refunds.list(test(), { charge: '' }))) as unknown[];
    expect(ofCharge.slice(0, 2)).to.deep.equal(['parameter_invalid_empty', 'charge']);
  });
});
