import { expect } from 'chai';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';

const HOUR_MS = 3_600_000;
const OWNER = 'owner@shop.test';

describe('Rulings about disputes that ended here by something else', () => {
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup();
    await setup.paymount.accounts.update(setup.account, { email: OWNER });
  });
  after(() => setup.close());
  afterEach(async () => {
    setup.forget();
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const shown = async (id: string) => (await setup.get(`/v1/disputes/${id}`).expect(200)).body;
  const available = async (): Promise<number> =>
    (await setup.get('/v1/balance').expect(200)).body.available[0]?.amount ?? 0;
  /** @param hours before now, when the issuer ruled */
  const close = (reference: string, outcome: string, hours: number, round?: number) =>
    setup.deliver({
      kind: 'dispute.closed',
      processorReference: reference,
      occurredAt: new Date(Date.now() - hours * HOUR_MS).toISOString(),
      data: {
        disputeReference: `case_of_${reference}`,
        outcome,
        ...(round !== undefined && { round }),
      },
    });
  const rule = async (id: string, outcome: string) => {
    const body = { outcome, reason: 'The processor wrote so.' };
    const { status, json } = await setup.admin(`/disputes/${id}/rule`, { body });
    expect(status, JSON.stringify(json)).to.equal(200);
    return json;
  };
  const reasons = () => setup.errors.map(({ facts }) => facts['reason']);

  it('are about another chargeback if one has continued the alert and was won', async () => {
    const { id: charge, reference } = await setup.sale();
    const before = await available();
    const facts = { ...OPENED, amount: 5_000 };
    const about = (name: string) => ({ disputeReference: `${name} of ${charge}` });
    await setup.report('dispute.alert', reference, { ...facts, ...about('a') });
    await setup.report('dispute.opened', reference, { ...facts, ...about('b') });
    await setup.report('dispute.closed', reference, { ...about('b'), outcome: 'won' });
    await setup.report('dispute.opened', reference, { ...facts, ...about('a') });
    const { body } = await setup.get(`/v1/disputes?charge=${charge}`).expect(200);
    const found = body.data.map(({ status }: { status: string }) => status);
    expect(found).to.deep.equal(['needs_response', 'won']);
    expect(await available()).to.equal(before - 5_000);
  });
});
