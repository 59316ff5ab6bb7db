import { expect } from 'chai';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';
import { DoubtfulBank } from '../support/doubtful-bank.ts';

const REFUND = { amount: 10 };

type Json = Readonly<Record<string, unknown>>;

describe('A bank that gives all refunds of a charge its reference', function () {
  this.timeout(60_000);
  let setup: DisputeSetup;

  before(async () => {
    setup = await startDisputeSetup();
  });
  after(() => setup.close());

  /** From now on. */
  const shareWith = (reference: string): void => {
    const { refund } = DoubtfulBank.prototype;
    setup.bank.refund = async (operation) => {
      const answer = await refund.call(setup.bank, operation);
      const isShared = answer.outcome === 'approved';
      return isShared ? { ...answer, processorReference: reference } : answer;
    };
  };

  it('opens a dispute of a charge that was refunded many times', async () => {
    const { id: charge, reference } = await setup.sale();
    shareWith(reference);
    for (let count = 0; count < 21; count += 1) {
      await setup.post('/v1/refunds', { charge, ...REFUND }).expect(200);
    }
    await setup.report('dispute.opened', reference, { ...OPENED, amount: 5_000 });
    const { json } = await setup.admin('/notices?state=any');
    expect((json['data'] as Json[]).map(({ state, reason }) => [state, reason])).to.deep.equal([
      ['applied', null],
    ]);
    expect(await setup.disputeOf(charge)).to.include({ status: 'needs_response', amount: 5_000 });
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  it('settles the charge and each refund by lines of their own amounts', async () => {
    const { id: charge, reference: processorReference } = await setup.sale();
    shareWith(processorReference);
    for (const amount of [4_000, 1_000]) {
      await setup.post('/v1/refunds', { charge, amount }).expect(200);
    }
    const settledOn = setup.clock.now().toISOString();
    await setup.deliver(
      ...[10_000, -4_000, -1_000].map((amount) => ({
        kind: 'settlement_line',
        processorReference,
        data: { lineId: `line of ${amount}`, amount, currency: 'eur', settledOn, kind: 'payment' },
      })),
    );
    expect((await setup.admin('/settlement_differences')).json['data']).to.deep.equal([]);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });
});
