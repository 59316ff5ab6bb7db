import { expect } from 'chai';
import { query } from '../support/database.ts';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';

const OWNER = 'owner@shop.test';
const EVIDENCE = { uncategorized_text: 'She has signed.' };

interface Line {
  readonly amount: number;
  readonly fee: number;
}
interface Json {
  readonly status: string;
  readonly round: number;
  readonly balance_transactions: readonly Line[];
}

describe('A ruling that is reversed', () => {
  let setup: DisputeSetup;
  const hooked: string[] = [];
  before(async () => {
    setup = await startDisputeSetup({
      disputeFees: () => ({
        amount: 1_500,
        details: [{ amount: 1_500, type: 'dispute', description: 'Chargeback' }],
      }),
      hook: async (_, settled) => {
        if (settled.kind !== 'dispute') return;
        hooked.push(`${settled.dispute.status} ${settled.dispute.round}`);
      },
    });
    await setup.paymount.accounts.update(setup.account, { email: OWNER });
  });
  after(() => setup.close());
  afterEach(async () => {
    setup.respond = undefined;
    hooked.length = 0;
    setup.forget();
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const shown = async (id: string): Promise<Json> =>
    (await setup.get(`/v1/disputes/${id}`).expect(200)).body;
  const moneyOf = async (id: string) =>
    (await shown(id)).balance_transactions.map(({ amount, fee }) => [amount, fee]);
  const eventsOf = async (id: string): Promise<readonly string[]> => {
    const { body } = await setup.get(`/v1/events?limit=100&object_id=${id}`).expect(200);
    return body.data.map(({ type }: { type: string }) => type).reverse();
  };
  const available = async (): Promise<number> =>
    (await setup.get('/v1/balance').expect(200)).body.available[0]?.amount ?? 0;
  const close = (reference: string, outcome: string, round?: number) =>
    setup.report('dispute.closed', reference, { outcome, ...(round && { round }) });
  const rule = (id: string, outcome: string) =>
    setup.admin(`/disputes/${id}/rule`, {
      body: { outcome, reason: 'The processor wrote so.' },
    });
  const won = async () => {
    const made = await setup.chargeback({ round: 1 });
    await close(made.reference, 'won', 1);
    hooked.length = 0;
    setup.forget();
    return made;
  };

  it('is lost in a later round: the money is taken again, without a fee', async () => {
    const { dispute, reference } = await won();
    const before = await available();
    await close(reference, 'lost', 2);
    await close(reference, 'lost', 2);
    expect(await shown(dispute)).to.include({
      status: 'lost',
      closed_reason: 'ruling',
      round: 2,
      is_charge_refundable: false,
    });
    expect(await available()).to.equal(before - 10_000);
    expect(await moneyOf(dispute)).to.deep.equal([
      [-10_000, 1_500],
      [10_000, 0],
      [-10_000, 0],
    ]);
    expect(await eventsOf(dispute)).to.deep.equal([
      'dispute.created',
      'dispute.won',
      'dispute.lost',
    ]);
    expect(hooked).to.deep.equal(['lost 2']);
    expect(setup.mails.map(({ subject }) => subject)).to.deep.equal([
      'A test dispute that was won is lost after all: 100.00 EUR',
    ]);
  });

  it('opens the dispute again, which takes another answer and is won again', async () => {
    const { dispute, reference, charge } = await won();
    const before = await available();
    await setup.report('dispute.opened', reference, { ...OPENED, round: 2 });
    await setup.report('dispute.opened', reference, { ...OPENED, round: 2 });
    expect(await shown(dispute)).to.include({ status: 'needs_response', closed_reason: null });
    expect(await available()).to.equal(before - 10_000);
    expect(setup.mails.map(({ subject }) => subject)).to.deep.equal([
      'A test dispute was opened again: 100.00 EUR',
    ]);
    const { body } = await setup.post('/v1/refunds', { charge }).expect(400);
    expect(body.error.code).to.equal('charge_disputed');
    const answered = await setup.post(`/v1/disputes/${dispute}`, { evidence: EVIDENCE });
    expect(answered.body).to.include({ status: 'under_review', round: 2 });
    await close(reference, 'won', 1);
    expect(await shown(dispute)).to.include({ status: 'under_review' });
    await close(reference, 'won', 2);
    expect(await shown(dispute)).to.include({ status: 'won', round: 2 });
    expect(await available()).to.equal(before);
    expect(await moneyOf(dispute)).to.deep.equal([
      [-10_000, 1_500],
      [10_000, 0],
      [-10_000, 0],
      [10_000, 0],
    ]);
    expect(hooked).to.deep.equal(['needs_response 2', 'under_review 2', 'won 2']);
  });

  it('is not won in a later round by a process of a version without rounds', async () => {
    const { dispute, reference } = await won();
    await setup.report('dispute.opened', reference, { ...OPENED, round: 2 });
    // As that version writes it, which books nothing for a second win.
    const write = query(
      setup.databaseUrl,
      `UPDATE paymount.disputes SET version = version + 1, status = 'won', credit_id = 'txn_new',
        credited_at = now() WHERE id = $1`,
      [dispute],
    );
    const refused: unknown = await write.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).to.include({ constraint: 'disputes_won_in_round' });
    await close(reference, 'won', 2);
    expect(await shown(dispute)).to.include({ status: 'won', round: 2 });
  });

  it('waits for a person if the processor has no rounds, who records it', async () => {
    const { dispute, reference, charge } = await setup.chargeback();
    await close(reference, 'won');
    const before = await available();
    await close(reference, 'lost');
    expect(setup.errors.map(({ facts }) => facts['reason'])).to.deep.equal([
      `It is lost at the processor; dispute ${dispute} is won.`,
    ]);
    expect(await available()).to.equal(before);
    const ruled = await rule(dispute, 'lost');
    expect([ruled.status, ruled.json['status'], ruled.json['round']]).to.deep.equal([
      200,
      'lost',
      2,
    ]);
    expect(await available()).to.equal(before - 10_000);
    const notices = await setup.admin('/notices?state=quarantined');
    const [{ id }] = notices.json['data'] as [{ id: string }];
    const retried = await setup.admin(`/notices/${id}/retry`, { body: {} });
    // It tells when the issuer ruled, which the person did not.
    expect(retried.json['state']).to.equal('applied');
    const [audited] = (await setup.admin(`/audit?target=${dispute}`)).json['data'] as object[];
    expect(audited).to.deep.include({
      action: 'dispute.rule',
      target: dispute,
      before: { status: 'won', round: 1 },
      after: { status: 'lost', round: 2, outcome: 'lost', reason: 'The processor wrote so.' },
    });
    expect((await rule(dispute, 'reopened')).json).to.include({
      status: 'needs_response',
      round: 3,
    });
    expect(await available()).to.equal(before - 10_000);
    // The ruling of this round is later than the one that was reversed.
    await close(reference, 'won');
    expect(await setup.disputeOf(charge)).to.include({ id: dispute, status: 'won', round: 3 });
    expect(await available()).to.equal(before);
  });

  it('is refused to a person for an alert, for what is recorded, and after the last round', async () => {
    const { reference } = await setup.sale();
    await setup.report('dispute.alert', reference, OPENED);
    const { body } = await setup.get('/v1/disputes?status=warning_needs_response').expect(200);
    const alert = String(body.data[0].id);
    const refusal = ({ status, json }: Awaited<ReturnType<typeof rule>>) => {
      const { code, message } = json['error'] as { code: string; message: string };
      return [status, code, message];
    };
    const invalid = [400, 'status_transition_invalid'];
    expect(refusal(await rule(alert, 'won'))).to.deep.equal([
      ...invalid,
      `Dispute ${alert} is an alert, which nobody rules about.`,
    ]);
    const { dispute } = await setup.chargeback();
    expect(refusal(await rule(dispute, 'reopened'))).to.deep.equal([
      ...invalid,
      `Dispute ${dispute} is needs_response; it is open.`,
    ]);
    for (const outcome of ['won', 'lost', 'won', 'lost', 'won']) {
      expect((await rule(dispute, outcome)).status).to.equal(200);
    }
    expect(refusal(await rule(dispute, 'won'))).to.deep.equal([
      ...invalid,
      `Dispute ${dispute} is won already.`,
    ]);
    expect(refusal(await rule(dispute, 'lost'))).to.deep.equal([
      ...invalid,
      `Dispute ${dispute} is in round 5, the last one; correct its money with the processor.`,
    ]);
    expect(await moneyOf(dispute)).to.have.length(6);
  });

  it('is not booked while another chargeback has the money', async () => {
    const { dispute, reference } = await won();
    await setup.report('dispute.opened', reference, { ...OPENED, disputeReference: 'another' });
    await close(reference, 'lost', 2);
    expect(await shown(dispute)).to.include({ status: 'won' });
    const refused = await rule(dispute, 'lost');
    expect((refused.json['error'] as { message: string }).message).to.equal(
      `Dispute ${dispute} cannot take money again that other chargebacks have taken.`,
    );
    await setup.report('dispute.closed', reference, {
      disputeReference: 'another',
      outcome: 'won',
    });
    // What waited for it is applied now.
    await setup.worker.drain();
    expect(await shown(dispute)).to.include({ status: 'lost', round: 2 });
    expect(setup.errors).to.deep.equal([]);
  });

  it('makes an answer to the earlier round no answer to this one', async () => {
    const { dispute, reference } = await setup.chargeback({ round: 1 });
    setup.respond = async ({ operationId, amount, currency }) => {
      await close(reference, 'won', 1);
      await setup.report('dispute.opened', reference, { ...OPENED, round: 2 });
      return { outcome: 'approved', processorReference: operationId, amount, currency };
    };
    const first = await setup.post(`/v1/disputes/${dispute}`, { evidence: EVIDENCE }).expect(200);
    setup.respond = undefined;
    expect(first.body).to.deep.include({ status: 'needs_response', round: 2 });
    expect(first.body.evidence_details.submission_count).to.equal(1);
    const second = await setup.post(`/v1/disputes/${dispute}`, { submit: true }).expect(200);
    expect(second.body).to.include({ status: 'under_review' });
  });

  it('is taken back together with what the merchant had accepted', async () => {
    const { dispute, reference } = await setup.chargeback({ round: 1 });
    const before = await available();
    await setup.post(`/v1/disputes/${dispute}/close`).expect(200);
    await setup.report('dispute.opened', reference, { ...OPENED, round: 2 });
    expect(await shown(dispute)).to.include({ status: 'needs_response', round: 2 });
    await close(reference, 'lost', 2);
    await close(reference, 'won', 1);
    expect(await shown(dispute)).to.include({ status: 'lost', closed_reason: 'ruling' });
    expect(await available()).to.equal(before);
    expect(setup.errors).to.deep.equal([]);
  });

  it('more often than the ledger has rounds is a matter for a person, who sees what it is', async () => {
    const { dispute, reference } = await won();
    const before = await moneyOf(dispute);
    setup.forget();
    await close(reference, 'lost', 6);
    await setup.report('dispute.opened', reference, { ...OPENED, round: 6 });
    const { json } = await setup.admin('/notices');
    const listed = (json['data'] as Record<string, unknown>[]).slice(0, 2);
    const reason =
      `It is about round 6 of dispute case_of_${reference}; at most 5 are recorded. ` +
      'Correct its money with the processor.';
    const facts = { dispute_reference: `case_of_${reference}` };
    for (const [kind, more] of [
      ['dispute.opened', { amount: 10_000 }],
      ['dispute.closed', { outcome: 'lost' }],
    ] as const) {
      const shownNotice = listed.find((each) => each['kind'] === kind);
      expect(shownNotice).to.include({ state: 'quarantined', reason });
      expect(shownNotice?.['facts']).to.include({ ...facts, ...more });
      await setup.admin(`/notices/${shownNotice?.['id']}/dismiss`, {
        body: { reason: 'It was corrected at the processor.' },
      });
    }
    expect(await moneyOf(dispute)).to.deep.equal(before);
    expect((await shown(dispute)).status).to.equal('won');
  });
});
