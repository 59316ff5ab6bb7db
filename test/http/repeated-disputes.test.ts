import { expect } from 'chai';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';

describe('a chargeback that is reported again', () => {
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup();
  });
  after(() => setup.close());
  afterEach(async () => {
    setup.forget();
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const reasons = () => setup.errors.map(({ facts }) => facts['reason']);
  const day = (text: string) => ({ occurredAt: `${text}T12:00:00.000Z` });

  it('with another amount waits for a person', async () => {
    const { charge, dispute: id, reference } = await setup.chargeback({ amount: 1_000 });
    await setup.report('dispute.opened', reference, { ...OPENED, amount: 10_000 });
    expect(await setup.disputeOf(charge)).to.include({ id, amount: 1_000 });
    expect(reasons()).to.deep.equal([
      `It takes 100.00 EUR; dispute ${id} was opened with 10.00 EUR.`,
    ]);
    expect(setup.mails.map(({ subject }) => subject)).to.deep.equal([
      'A test notice of watched waits for you: dispute.opened',
    ]);
  });

  it('after it was won waits for a person', async () => {
    const { charge, dispute: id, reference } = await setup.chargeback();
    await setup.report('dispute.closed', reference, { outcome: 'won' });
    await setup.report('dispute.opened', reference, OPENED);
    expect(await setup.disputeOf(charge)).to.include({ id, status: 'won' });
    expect(reasons()).to.deep.equal([`Dispute ${id} was won, and is opened again.`]);
  });

  it('of an alert with another amount waits for a person', async () => {
    const { id: charge, reference } = await setup.sale();
    await setup.report('dispute.alert', reference, OPENED);
    await setup.report('dispute.alert', reference, OPENED);
    expect(reasons()).to.deep.equal([]);
    await setup.report('dispute.alert', reference, { ...OPENED, amount: 5_000 });
    const { id, amount } = await setup.disputeOf(charge);
    expect(amount).to.equal(10_000);
    expect(reasons()).to.deep.equal([
      `It takes 50.00 EUR; dispute ${String(id)} was opened with 100.00 EUR.`,
    ]);
  });

  it('and is about another dispute waits until a ruling makes room, then for a person', async () => {
    const { id: charge, reference } = await setup.sale();
    const tell = (kind: string, occurred: string, data: object) =>
      setup.deliver({ kind, processorReference: reference, ...day(occurred), data });
    const first = { ...OPENED, amount: 6_000, disputeReference: `first_of_${charge}` };
    await tell('dispute.opened', '2026-01-01', first);
    await tell('dispute.closed', '2026-03-01', {
      disputeReference: first.disputeReference,
      outcome: 'lost',
    });
    expect(reasons()).to.deep.equal([]);
    const second = { ...first, disputeReference: `second_of_${charge}` };
    await tell('dispute.opened', '2026-02-01', second);
    const { json } = await setup.admin('/notices?state=waiting');
    const [waiting] = json['data'] as { reason: string }[];
    const reason = `It takes 60.00 EUR; 40.00 EUR of charge ${charge} can be disputed.`;
    expect(waiting?.reason).to.equal(reason);
    for (const ms of [10_000, 60_000, 300_000, 3_600_000, 6 * 3_600_000]) await setup.pass(ms);
    for (let day = 0; day < 5; day += 1) await setup.pass(24 * 3_600_000);
    expect(reasons()).to.deep.equal([reason]);
  });

  it('is not hidden by a notice from the future', async () => {
    const { id: charge, reference } = await setup.sale();
    const disputeReference = `future_of_${charge}`;
    await setup.deliver({
      kind: 'dispute.opened',
      processorReference: reference,
      ...day('2099-01-01'),
      data: { ...OPENED, disputeReference },
    });
    const { id } = await setup.disputeOf(charge);
    await setup.report('dispute.opened', reference, { ...OPENED, amount: 1_000, disputeReference });
    expect(reasons()).to.deep.equal([
      `It takes 10.00 EUR; dispute ${String(id)} was opened with 100.00 EUR.`,
    ]);
  });

  it('is ignored if it contradicts what was reported later of the same dispute', async () => {
    const { id: charge, reference } = await setup.sale();
    const data = { ...OPENED, disputeReference: `old_of_${charge}` };
    const tell = (kind: string, occurred: string, said: object) =>
      setup.deliver({ kind, processorReference: reference, ...day(occurred), data: said });
    await tell('dispute.opened', '2026-01-01', data);
    await tell('dispute.closed', '2026-03-01', { ...data, outcome: 'won' });
    await tell('dispute.opened', '2026-01-01', data);
    expect((await setup.disputeOf(charge))['status']).to.equal('won');
    expect(reasons()).to.deep.equal([]);
  });
});
