import { expect } from 'chai';
import { ClockDesk } from '../support/clock-desk.ts';
import { type DisputeDesk, OPENED, startDisputeDesk } from '../support/dispute-desk.ts';

const DAY = 86_400_000;

describe('an answer to a dispute on a test clock that the bank only promises', () => {
  let desk: DisputeDesk;

  before(async () => {
    desk = await startDisputeDesk();
  });
  after(() => desk.close());

  it('waits for as long as the clock stands', async () => {
    const clocks = new ClockDesk(desk);
    const clock = await clocks.clock('2020-01-01T00:00:00.000Z');
    const charge = await clocks.charge(await clocks.customer(clock));
    const { processor } = await clocks.read(`/v1/charges/${charge}`);
    const { reference } = processor as { reference: string };
    await desk.report('dispute.opened', reference, { ...OPENED, amount: 4_200 });
    const { id } = await desk.disputeOf(charge);
    const promise = {
      outcome: 'pending',
      processorReference: 'answer',
      // In the time of the clock.
      expectedBy: '2020-01-03T00:00:00.000Z',
    } as const;
    desk.respond = async () => promise;
    desk.bank.found = promise;
    const evidence = { uncategorized_text: 'It was delivered.' };
    await desk.post(`/v1/disputes/${id}`, { evidence }).expect(200);
    for (let days = 0; days < 12; days += 1) await desk.pass(DAY);
    const { json } = await desk.admin(`/operations?subject=${id}&state=any`);
    expect(json['data']).to.have.nested.property('[0].state', 'unknown');
    expect(desk.errors).to.deep.equal([]);
  });
});
