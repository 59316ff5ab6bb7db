import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { startApp, type TestApp } from '../support/app.ts';
import { fakeClock } from '../support/clock.ts';
import { WatchedBank } from '../support/watched-bank.ts';

/** A bank that must be asked over the network what a name stands for. */
class RemoteBank extends WatchedBank {
  readonly named: string[] = [];
  override readonly capabilities = {
    ...new WatchedBank(fakeClock()).capabilities,
    localTokens: false,
  };

  override tokenize(
    ...asked: Parameters<WatchedBank['tokenize']>
  ): ReturnType<WatchedBank['tokenize']> {
    const [input] = asked;
    this.named.push('token' in input ? input.token : 'a card');
    return super.tokenize(...asked);
  }
}

describe('a name of a card in a transaction of the host', () => {
  let app: TestApp;
  let knex: Knex;
  const clock = fakeClock();
  const bank = new RemoteBank(clock);
  before(async () => {
    app = await startApp({ paymount: { clock, processors: { test: bank } } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 2 } });
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });

  const sale = { amount: 4_200, currency: 'eur' };

  it('is refused if the processor must be asked for it, and nothing is written', async () => {
    const { acting, paymount } = app;
    const customer = await paymount.customers.create(acting, {});
    const calls: Readonly<Record<string, (trx: Knex.Transaction) => Promise<unknown>>> = {
      payment_method: (trx: Knex.Transaction) =>
        paymount.using(trx).charges.create(acting, { ...sale, payment_method: 'pm_card_visa' }),
      source: (trx: Knex.Transaction) =>
        paymount.using(trx).charges.create(acting, { ...sale, source: 'tok_visa' }),
      customer: (trx: Knex.Transaction) =>
        paymount.using(trx).customers.create(acting, { payment_method: 'pm_card_visa' }),
      path: (trx: Knex.Transaction) =>
        paymount
          .using(trx)
          .paymentMethods.attach(acting, 'pm_card_visa', { customer: customer.id }),
    };
    for (const [name, call] of Object.entries(calls)) {
      const refused = await knex.transaction(call).catch((error: unknown) => error);
      expect(refused, name).to.include({
        name: 'PaymountError',
        code: 'operation_not_supported',
      });
    }
    expect(bank.named).to.deep.equal([]);
    expect(await knex('paymount.charges').select('id')).to.deep.equal([]);
  });

  it('is known outside of it, and its payment method is charged inside', async () => {
    const { acting, paymount } = app;
    const method = await paymount.paymentMethods.create(acting, {
      type: 'card',
      card: { token: 'tok_visa' },
    });
    expect(bank.named).to.deep.equal(['tok_visa']);
    const charge = await knex.transaction((trx) =>
      paymount.using(trx).charges.create(acting, { ...sale, payment_method: method.id }),
    );
    expect(charge.status).to.equal('pending');
    expect(bank.named).to.deep.equal(['tok_visa']);
  });
});
