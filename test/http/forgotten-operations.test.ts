import { expect } from 'chai';
import { query } from '../support/database.ts';
import { type OperatorSetup, startOperatorSetup } from '../support/operator-setup.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** More look-ups than the schedule has. */
const LOOKUPS = 12;

for (const idempotentSubmit of [true, false]) {
  const adapter = idempotentSubmit ? 'an idempotent adapter' : 'an adapter that is not idempotent';

  describe(`what ${adapter} has confirmed and then does not find`, () => {
    let setup: OperatorSetup;

    before(async () => {
      setup = await startOperatorSetup({ idempotentSubmit });
    });
    after(() => setup.close());
    beforeEach(() => {
      setup.bank.found = undefined;
      setup.forget();
    });
    afterEach(async () => {
      const rules = (await setup.paymount.verify()).map(({ rule }) => rule);
      expect(new Set(rules)).to.deep.equal(new Set(['No operation is quarantined.']));
    });

    const statusOf = async (path: string): Promise<unknown> => (await setup.get(path)).body.status;
    const sent = (subject: string): number =>
      setup.bank.calls.filter(({ reference }) => reference === subject).length;
    const operation = async (subject: string) => {
      const [row] = await query<{ state: string; attempt: number }>(
        setup.databaseUrl,
        `SELECT state, attempt FROM paymount.operations WHERE subject_id = '${subject}'`,
      );
      return row;
    };
    /** Lets the bank forget it, and all look-ups pass. */
    const forget = async (): Promise<void> => {
      setup.bank.found = 'not_found';
      for (let times = 0; times < LOOKUPS; times += 1) await setup.pass(DAY + MINUTE);
    };

    it('is a bank debit that stays pending, and waits for a person', async () => {
      const sale = {
        amount: 5_000,
        currency: 'usd',
        payment_method: 'pm_usBankAccount_processing',
      };
      const { body: charge } = await setup.post('/v1/charges', sale).expect(200);
      expect(charge.processor.reference).to.match(/^sandbox_op_/);
      await forget();
      expect(await statusOf(`/v1/charges/${charge.id}`)).to.equal('pending');
      expect(await operation(charge.id)).to.deep.equal({ state: 'quarantined', attempt: 1 });
      expect(sent(charge.id)).to.equal(1);
      expect(setup.mails).to.have.length(1);
    });

    it('is a refund that stays pending, and gives nothing back to the balance', async () => {
      const sale = { amount: 5_000, currency: 'eur', payment_method: 'pm_card_pendingRefund' };
      const { body: charge } = await setup.post('/v1/charges', sale).expect(200);
      const { body: refund } = await setup.post('/v1/refunds', { charge: charge.id }).expect(200);
      expect(refund.status).to.equal('pending');
      await forget();
      expect(await statusOf(`/v1/refunds/${refund.id}`)).to.equal('pending');
      expect(await operation(refund.id)).to.deep.equal({ state: 'quarantined', attempt: 1 });
      expect(sent(refund.id)).to.equal(1);
      expect((await setup.get(`/v1/charges/${charge.id}`)).body.amount_refunded).to.equal(5_000);
    });
  });
}
