import { expect } from 'chai';
import { type DisputeDesk, OPENED, startDisputeDesk } from '../support/dispute-desk.ts';

const REFUND = { amount: 10 };

type Json = Readonly<Record<string, unknown>>;

describe('A bank that gives all refunds of a charge its reference', function () {
  this.timeout(60_000);
  let desk: DisputeDesk;

  before(async () => {
    desk = await startDisputeDesk();
  });
  after(() => desk.close());

  it('opens a dispute of a charge that was refunded many times', async () => {
    const { id: charge, reference } = await desk.sale();
    const refund = desk.bank.refund.bind(desk.bank);
    desk.bank.refund = async (operation) => {
      const answer = await refund(operation);
      const isShared = answer.outcome === 'approved';
      return isShared ? { ...answer, processorReference: reference } : answer;
    };
    for (let count = 0; count < 21; count += 1) {
      await desk.post('/v1/refunds', { charge, ...REFUND }).expect(200);
    }
    await desk.report('dispute.opened', reference, { ...OPENED, amount: 5_000 });
    const { json } = await desk.admin('/notices?state=any');
    expect((json['data'] as Json[]).map(({ state, reason }) => [state, reason])).to.deep.equal([
      ['applied', null],
    ]);
    expect(await desk.disputeOf(charge)).to.include({ status: 'needs_response', amount: 5_000 });
    expect(await desk.paymount.verify()).to.deep.equal([]);
  });
});
