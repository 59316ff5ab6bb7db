import { expect } from 'chai';
import { ClockSetup } from '../support/clock-setup.ts';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';

const DAY = 86_400_000;

describe('an answer to a dispute on a test clock that the bank only promises', () => {
  let setup: DisputeSetup;

  before(async () => {
    setup = await startDisputeSetup();
  });
  after(() => setup.close());

  it('waits for as long as the clock stands', async () => {
    const clocks = new ClockSetup(setup);
    const clock = await clocks.clock('2020-01-01T00:00:00.000Z');
    const charge = await clocks.charge(await clocks.customer(clock));
    const { processor } = await clocks.read(`/v1/charges/${charge}`);
    const { reference } = processor as { reference: string };
    await setup.report('dispute.opened', reference, { ...OPENED, amount: 4_200 });
    const { id } = await setup.disputeOf(charge);
    const promise = {
      outcome: 'pending',
      processorReference: 'answer',
      // In the time of the clock.
      expectedBy: '2020-01-03T00:00:00.000Z',
    } as const;
    setup.respond = async () => promise;
    setup.bank.found = promise;
    const evidence = { uncategorized_text: 'It was delivered.' };
    await setup.post(`/v1/disputes/${id}`, { evidence }).expect(200);
    for (let days = 0; days < 12; days += 1) await setup.pass(DAY);
    const { json } = await setup.admin(`/operations?subject=${id}&state=any`);
    expect(json['data']).to.have.nested.property('[0].state', 'unknown');
    expect(setup.errors).to.deep.equal([]);
  });
});
