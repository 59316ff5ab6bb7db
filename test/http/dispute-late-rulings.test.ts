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

  it('are recorded if it was accepted or expired, so that an older one changes nothing', async () => {
    const accepted = await setup.chargeback();
    const expired = await setup.chargeback({
      dueBy: new Date(Date.now() + HOUR_MS).toISOString(),
    });
    await setup.post(`/v1/disputes/${accepted.dispute}/close`).expect(200);
    await setup.pass(2 * HOUR_MS);
    const before = await available();
    for (const { dispute, reference } of [accepted, expired]) {
      expect((await shown(dispute)).closed_reason).to.be.oneOf(['accepted', 'expired']);
      await close(reference, 'lost', 1);
      expect(await shown(dispute)).to.include({ status: 'lost', closed_reason: 'ruling' });
      await close(reference, 'won', 2);
      expect(await shown(dispute)).to.include({ status: 'lost', closed_reason: 'ruling' });
    }
    expect(await available()).to.equal(before);
    expect(setup.errors).to.deep.equal([]);
  });

  it('count from when they were last repeated', async () => {
    const { dispute, reference } = await setup.chargeback();
    await close(reference, 'won', 3);
    await close(reference, 'won', 1);
    await close(reference, 'lost', 2);
    expect(await shown(dispute)).to.include({ status: 'won' });
    expect(setup.errors).to.deep.equal([]);
  });

  it('go to a person if they contradict what a person has recorded', async () => {
    const [plain, inRounds] = [await setup.chargeback(), await setup.chargeback({ round: 1 })];
    await rule(plain.dispute, 'won');
    await rule(inRounds.dispute, 'won');
    await close(plain.reference, 'lost', 1);
    await close(inRounds.reference, 'lost', 1, 1);
    expect(reasons()).to.deep.equal(
      [plain, inRounds].map(
        ({ dispute }) => `It is lost at the processor; dispute ${dispute} is won.`,
      ),
    );
  });

  it('go to a person if they contradict an earlier ruling of the same round', async () => {
    const { dispute, reference } = await setup.chargeback({ round: 1 });
    await close(reference, 'won', 1, 1);
    await close(reference, 'lost', 2, 1);
    expect(reasons()).to.deep.equal([`It is lost at the processor; dispute ${dispute} is won.`]);
  });

  it('are the first if a person opens again what no issuer has ruled about', async () => {
    const { dispute, reference } = await setup.chargeback({ round: 1 });
    const before = await available();
    setup.forget();
    for (const _ of [1, 2]) {
      await setup.post(`/v1/disputes/${dispute}/close`).expect(200);
      expect(await rule(dispute, 'reopened')).to.include({ status: 'needs_response', round: 1 });
    }
    await setup.worker.drain();
    expect(setup.mails.map(({ subject }) => subject)).to.deep.equal([
      'A test dispute was opened again: 100.00 EUR',
      'A test dispute was opened again: 100.00 EUR',
    ]);
    await close(reference, 'won', 1, 1);
    expect(await shown(dispute)).to.include({ status: 'won', round: 1 });
    expect(await available()).to.equal(before + 10_000);
    expect(setup.errors).to.deep.equal([]);
  });
});
