import { expect } from 'chai';
import { type DisputeDesk, OPENED, startDisputeDesk } from '../support/dispute-desk.ts';

describe('a chargeback that is reported again', () => {
  let desk: DisputeDesk;
  before(async () => {
    desk = await startDisputeDesk();
  });
  after(() => desk.close());
  afterEach(async () => {
    desk.forget();
    expect(await desk.paymount.verify()).to.deep.equal([]);
  });

  const reasons = () => desk.errors.map(({ facts }) => facts['reason']);

  it('with another amount waits for a person', async () => {
    const { charge, dispute: id, reference } = await desk.chargeback({ amount: 1_000 });
    await desk.report('dispute.opened', reference, { ...OPENED, amount: 10_000 });
    expect(await desk.disputeOf(charge)).to.include({ id, amount: 1_000 });
    expect(reasons()).to.deep.equal([`It takes 10000; dispute ${id} was opened with 1000.`]);
    expect(desk.mails.map(({ subject }) => subject)).to.deep.equal([
      'A test notice of watched waits for you: dispute.opened',
    ]);
  });

  it('after it was won waits for a person', async () => {
    const { charge, dispute: id, reference } = await desk.chargeback();
    await desk.report('dispute.closed', reference, { outcome: 'won' });
    await desk.report('dispute.opened', reference, OPENED);
    expect(await desk.disputeOf(charge)).to.include({ id, status: 'won' });
    expect(reasons()).to.deep.equal([`Dispute ${id} was won, and is opened again.`]);
  });

  it('of an alert with another amount waits for a person', async () => {
    const { id: charge, reference } = await desk.sale();
    await desk.report('dispute.alert', reference, OPENED);
    await desk.report('dispute.alert', reference, OPENED);
    expect(reasons()).to.deep.equal([]);
    await desk.report('dispute.alert', reference, { ...OPENED, amount: 5_000 });
    const { id, amount } = await desk.disputeOf(charge);
    expect(amount).to.equal(10_000);
    expect(reasons()).to.deep.equal([
      `It takes 5000; dispute ${String(id)} was opened with 10000.`,
    ]);
  });
});
