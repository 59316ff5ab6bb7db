import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { startApp, type TestApp } from '../support/app.ts';
import { rejectionCode } from '../support/rejection-code.ts';

const ROUNDS = 20;
const CHARGES = 10;
const FEE = 100;
const SALE = { amount: 1_000, currency: 'eur', payment_method: 'pm_card_visa' };

/** The fee stays with the operator, so that the balance covers all refunds of a merchant but one. */
describe('refunds that the balance must cover', function () {
  this.timeout(60_000);
  let app: TestApp;
  let knex: Knex;

  before(async () => {
    const details = [{ amount: FEE, type: 'application_fee', description: 'Fee' }];
    app = await startApp({ paymount: { fees: () => ({ amount: FEE, details }) } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 5 } });
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });

  it(`take no more than is there when ${CHARGES} are asked for at once, in ${ROUNDS} rounds`, async () => {
    const refund = (charge: string, turn: number): Promise<unknown> =>
      turn % 2 === 0
        ? app.paymount.refunds.create(app.acting, { charge })
        : knex.transaction((trx) => app.paymount.using(trx).refunds.create(app.acting, { charge }));
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const charges = await Promise.all(
        Array.from({ length: CHARGES }, () => app.paymount.charges.create(app.acting, SALE)),
      );
      const answers = await Promise.all(
        charges.map(({ id }, turn) => rejectionCode(refund(id, turn))),
      );
      seen.add(answers.sort().join(', '));
    }
    const covered = Array.from({ length: CHARGES - 1 }, () => 'no error');
    expect([...seen]).to.deep.equal([['balance_insufficient', ...covered].join(', ')]);
    expect(await app.paymount.verify()).to.deep.equal([]);
  });
});
