import { expect } from 'chai';
import type { FeeSchedule } from 'paymount';
import { query } from '../support/database.ts';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';

const MINUTE = 60_000;

type Json = Readonly<Record<string, unknown>>;

const feeOf = (amount: number): FeeSchedule => {
  return () => ({ amount, details: [{ amount, type: 'fee', description: 'Fee' }] });
};
const BROKEN: Readonly<Record<string, FeeSchedule>> = {
  throw: () => {
    throw new Error('the price list is not loaded');
  },
  'return nothing': () => undefined as never,
  'return more than was charged': feeOf(100_000_000),
  'return a part of a cent': feeOf(0.5),
  'return details of another sum': () => ({ amount: 3, details: [] }),
};

describe('Fees of the host that', () => {
  let setup: DisputeSetup;
  let fees: FeeSchedule;
  let disputeFees: FeeSchedule;

  beforeEach(async () => {
    [fees, disputeFees] = [feeOf(30), feeOf(15)];
    setup = await startDisputeSetup({
      fees: (...asked) => fees(...asked),
      disputeFees: (...asked) => disputeFees(...asked),
    });
  });
  afterEach(async () => {
    expect(await setup.paymount.verify()).to.deep.equal([]);
    await setup.close();
  });

  const listed = async (path: string) => (await setup.admin(path)).json['data'] as readonly Json[];

  for (const [what, broken] of Object.entries(BROKEN)) {
    it(`${what} keep the result of a charge waiting, which a person sees`, async () => {
      fees = broken;
      const sale = { amount: 1_000, currency: 'eur', payment_method: 'pm_card_visa' };
      const { body } = await setup.post('/v1/charges', sale).expect(200);
      expect(body.status).to.equal('pending');
      const [line] = setup.errors;
      expect(line?.sentence).to.contain('the option `fees` returned no fee');
      await setup.pass(6 * MINUTE);
      const [waiting, ...others] = await listed('/operations');
      expect(others).to.deep.equal([]);
      expect(waiting).to.include({ subject: body.id, state: 'unknown' });
      expect(waiting).to.have.nested.property('review.cause', 'hook_waits');
      fees = feeOf(30);
      await setup.pass(MINUTE);
      const { body: charge } = await setup.get(`/v1/charges/${body.id}`).expect(200);
      expect(charge.status).to.equal('succeeded');
      const { body: line30 } = await setup
        .get(`/v1/balance_transactions/${charge.balance_transaction}`)
        .expect(200);
      expect([line30.amount, line30.fee]).to.deep.equal([1_000, 30]);
    });
  }

  it('throw keep a chargeback waiting, and a retry by an admin says why', async () => {
    const { id: charge, reference } = await setup.sale();
    disputeFees = BROKEN['throw'] as FeeSchedule;
    await setup.deliver({
      kind: 'dispute.opened',
      processorReference: reference,
      data: { ...OPENED, disputeReference: 'case_1' },
    });
    await setup.pass(6 * MINUTE);
    const [waiting, ...others] = await listed('/notices');
    expect(others).to.deep.equal([]);
    expect(waiting).to.include({ kind: 'dispute.opened', state: 'waiting' });
    expect(waiting?.['review_since']).to.be.a('string');
    const retry = () => setup.admin(`/notices/${String(waiting?.['id'])}/retry`, { body: {} });
    const refused = await retry();
    expect([refused.status, refused.error['code']]).to.deep.equal([409, 'hook_refused']);
    disputeFees = feeOf(15);
    expect((await retry()).json).to.include({ state: 'applied' });
    expect((await setup.disputeOf(charge))['status']).to.equal('needs_response');
    const rows = await query<{ fee: string }>(
      setup.databaseUrl,
      `SELECT fee FROM paymount.balance_transactions WHERE type = 'dispute'`,
    );
    expect(rows).to.deep.equal([{ fee: '15' }]);
  });
});
