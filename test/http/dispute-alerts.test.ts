import { expect } from 'chai';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';

const EVIDENCE = { uncategorized_text: 'She has signed.' };
const DAY_MS = 86_400_000;

describe('an alert before its chargeback', () => {
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup();
  });
  after(() => setup.close());
  afterEach(async () => {
    setup.respond = undefined;
    setup.answers.length = 0;
    setup.bank.found = undefined;
    setup.forget();
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const balance = async (): Promise<number> =>
    (await setup.get('/v1/balance').expect(200)).body.available[0]?.amount ?? 0;
  const reasons = () => setup.errors.map(({ facts }) => facts['reason']);
  /** A charge of 10,000 with an alert. The references of the dispute are the test's. */
  const alerted = async (disputeReference: string, source?: string) => {
    const sold = await setup.sale(source);
    const { reference } = sold;
    await setup.report('dispute.alert', reference, { ...OPENED, disputeReference });
    const id = String((await setup.disputeOf(sold.id))['id']);
    return { id, charge: sold.id, reference };
  };

  it('takes evidence that is not the answer to the chargeback', async () => {
    const { id, charge, reference } = await alerted('alert_1');
    setup.respond = async ({ operationId, amount, currency }) => {
      await setup.report('dispute.opened', reference, { ...OPENED, disputeReference: 'case_a' });
      return { outcome: 'approved', processorReference: operationId, amount, currency };
    };
    const first = await setup.post(`/v1/disputes/${id}`, { evidence: EVIDENCE }).expect(200);
    setup.respond = undefined;
    expect(first.body.status).to.equal('needs_response');
    expect(first.body.evidence_details.submission_count).to.equal(1);
    const second = await setup.post(`/v1/disputes/${id}`, { submit: true }).expect(200);
    expect(second.body.status).to.equal('under_review');
    expect(second.body.evidence_details.submission_count).to.equal(2);
    expect(setup.answers.map((answer) => answer.disputeReference)).to.deep.equal([
      'alert_1',
      'case_a',
    ]);
    await setup.report('dispute.closed', reference, { disputeReference: 'case_a', outcome: 'won' });
    expect((await setup.disputeOf(charge))['status']).to.equal('won');
  });

  it('takes evidence whose answer is lost, and that is sent again as it was', async () => {
    const { id, charge, reference } = await alerted('alert_2');
    setup.respond = async () => {
      throw new Error('The line was cut.');
    };
    await setup.post(`/v1/disputes/${id}`, { evidence: EVIDENCE }).expect(200);
    const opened = { ...OPENED, amount: 9_000, disputeReference: 'case_b' };
    await setup.report('dispute.opened', reference, opened);
    setup.respond = undefined;
    setup.bank.found = 'not_found';
    await setup.pass(60_000);
    await setup.pass(600_000);
    await setup.pass(600_000);
    expect(
      setup.answers.map(({ disputeReference, amount }) => [disputeReference, amount]),
    ).to.deep.equal([
      ['alert_2', 10_000],
      ['alert_2', 10_000],
    ]);
    const dispute = await setup.disputeOf(charge);
    expect(dispute).to.include({ status: 'needs_response', amount: 9_000 });
    await setup.post(`/v1/disputes/${id}`, { submit: true }).expect(200);
    expect(setup.answers.at(-1)).to.include({ disputeReference: 'case_b', amount: 9_000 });
  });

  it('is not prevented by a refund that has not succeeded yet, and then fails', async () => {
    const { id: charge, reference } = await setup.sale('tok_refundRejected');
    const report = { ...OPENED, disputeReference: 'alert_3' };
    const { body: refund } = await setup.post('/v1/refunds', { charge }).expect(200);
    await setup.report('dispute.alert', reference, report);
    expect(refund.status).to.equal('pending');
    expect((await setup.disputeOf(charge))['status']).to.equal('warning_needs_response');
    await setup.pass(DAY_MS);
    const before = await balance();
    await setup.report('dispute.opened', reference, report);
    expect(await setup.disputeOf(charge)).to.include({ status: 'needs_response' });
    expect(await balance()).to.equal(before - 10_000);
    expect(reasons()).to.deep.equal([]);
  });

  it('becomes a chargeback after a refund prevented it, and the bank returned the refund', async () => {
    const { id, charge, reference } = await alerted('alert_4');
    const { body: refund } = await setup.post('/v1/refunds', { charge }).expect(200);
    expect((await setup.disputeOf(charge))['status']).to.equal('prevented');
    const [asked] = setup.bank.asked('refund', refund.id);
    const data = { code: 'expired_card', message: 'The card was closed.' };
    await setup.deliver({ kind: 'refund.failed', operationId: asked?.operationId, data });
    const before = await balance();
    await setup.report('dispute.opened', reference, { ...OPENED, disputeReference: 'alert_4' });
    expect(await setup.disputeOf(charge)).to.include({ id, status: 'needs_response' });
    expect(await balance()).to.equal(before - 10_000);
    expect(reasons()).to.deep.equal([]);
  });

  it('is known by its old reference after the chargeback came under another', async () => {
    const { id, charge, reference } = await alerted('alert_5');
    const report = { ...OPENED, disputeReference: 'alert_5' };
    await setup.report('dispute.opened', reference, { ...OPENED, disputeReference: 'case_e' });
    await setup.report('dispute.closed', reference, {
      disputeReference: 'alert_5',
      outcome: 'warning_closed',
    });
    await setup.report('dispute.closed', reference, { disputeReference: 'case_e', outcome: 'won' });
    const before = await balance();
    await setup.report('dispute.alert', reference, report);
    expect(await setup.disputeOf(charge)).to.include({ id, status: 'won' });
    expect(reasons()).to.deep.equal([]);
    // A chargeback under it is another one, whatever became of the first.
    await setup.report('dispute.opened', reference, report);
    const { body } = await setup.get(`/v1/disputes?charge=${charge}`).expect(200);
    expect(body.data.map(({ status }: { status: string }) => status)).to.deep.equal([
      'needs_response',
      'won',
    ]);
    expect(body.data[1].id).to.equal(id);
    expect(reasons()).to.deep.equal([]);
    expect(await balance()).to.equal(before - 10_000);
  });

  it('that comes after its chargeback asks nobody to refund, whatever became of that', async () => {
    const owner = 'owner@shop.test';
    await setup.paymount.accounts.update(setup.account, { email: owner });
    for (const [number, outcome] of [undefined, 'lost', 'won'].entries()) {
      const { id: charge, reference } = await setup.sale();
      const named = (name: string) => ({ disputeReference: `${name}_late_${number}` });
      await setup.report('dispute.opened', reference, { ...OPENED, ...named('case') });
      if (outcome) {
        await setup.report('dispute.closed', reference, { ...named('case'), outcome });
      }
      setup.forget();
      await setup.report('dispute.alert', reference, { ...OPENED, ...named('alert') });
      const { body } = await setup.get(`/v1/disputes?charge=${charge}`).expect(200);
      expect(body.data[0].status).to.equal('warning_needs_response');
      expect(setup.mails.map(({ to, subject }) => [to, subject])).to.deep.equal([
        [owner, 'A test charge got an alert after a chargeback: 100.00 EUR'],
      ]);
      const [mail] = setup.mails;
      expect(mail?.text).to.include('Do not refund the charge because of this alert');
      expect(mail?.text).to.not.include('Refund the charge');
    }
    await setup.paymount.accounts.update(setup.account, { email: null });
  });

  it('becomes a chargeback after another dispute of the charge has ended', async () => {
    const { id: charge, reference } = await setup.sale();
    const report = (kind: 'dispute.alert' | 'dispute.opened', disputeReference: string) =>
      setup.report(kind, reference, { ...OPENED, amount: 4_000, disputeReference });
    const end = (disputeReference: string, outcome: string) =>
      setup.report('dispute.closed', reference, { disputeReference, outcome });
    const named = async () => {
      const { body } = await setup.get(`/v1/charges/${charge}?expand[]=dispute`).expect(200);
      return [body.dispute.status, body.dispute.id];
    };
    await report('dispute.alert', 'alert_7');
    const [, alert] = await named();
    await end('alert_7', 'warning_closed');
    await report('dispute.opened', 'case_f');
    const [, other] = await named();
    expect(other).to.not.equal(alert);
    await end('case_f', 'lost');
    await report('dispute.opened', 'alert_7');
    expect(await named()).to.deep.equal(['needs_response', alert]);
  });

  it('becomes a chargeback that cannot be contested, and is lost at once', async () => {
    const { id, charge, reference } = await alerted('alert_6');
    const before = await balance();
    const report = { ...OPENED, disputeReference: 'alert_6', contestable: false };
    await setup.report('dispute.opened', reference, report);
    expect(await setup.disputeOf(charge)).to.include({
      id,
      status: 'lost',
      closed_reason: 'not_contestable',
    });
    expect(await balance()).to.equal(before - 10_000);
    const { body } = await setup.get(`/v1/events?object_id=${id}`).expect(200);
    expect(body.data.map(({ type }: { type: string }) => type).toSorted()).to.deep.equal([
      'dispute.alert',
      'dispute.created',
      'dispute.lost',
    ]);
    expect(reasons()).to.deep.equal([]);
  });
});
