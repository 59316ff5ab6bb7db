import { expect } from 'chai';
import Stripe from 'stripe';
import {
  type DisputeSetup,
  newReference,
  OPENED,
  startDisputeSetup,
} from '../support/dispute-setup.ts';
import { notice } from '../support/notifying-bank.ts';
import { PDF, uploadFile } from '../support/upload-file.ts';

const DAY_MS = 86_400_000;

describe('disputes', () => {
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup();
  });
  after(() => setup.close());
  afterEach(async () => {
    setup.respond = undefined;
    setup.answers.length = 0;
    setup.forget();
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const get = async (path: string) => (await setup.get(path).expect(200)).body;
  const post = async (path: string, body: object = {}) =>
    (await setup.post(path, body).expect(200)).body;
  const refused = async (path: string, body: object = {}) => {
    const { status, body: answer } = await setup.post(path, body);
    return [status, answer.error?.code, answer.error?.param];
  };
  const balance = async (): Promise<number> => (await get('/v1/balance')).available[0]?.amount ?? 0;
  const eventsOf = async (id: string): Promise<readonly string[]> => {
    const { data } = await get(`/v1/events?limit=100&object_id=${id}`);
    return data.map(({ type }: { type: string }) => type).reverse();
  };

  it('takes the money of a chargeback, and shows it on dispute, charge and balance', async () => {
    const before = await balance();
    const dueBy = new Date(setup.clock.now().getTime() + 9 * DAY_MS).toISOString();
    const { charge, dispute: id } = await setup.chargeback({
      networkReasonCode: '10.4',
      dueBy,
    });
    const dispute = await get(`/v1/disputes/${id}`);
    expect(dispute).to.deep.include({
      object: 'dispute',
      livemode: false,
      metadata: {},
      charge,
      amount: 10_000,
      currency: 'eur',
      status: 'needs_response',
      reason: 'fraudulent',
      network_reason_code: '10.4',
      is_charge_refundable: false,
      closed_reason: null,
      evidence_details: {
        due_by: dueBy,
        has_evidence: false,
        past_due: false,
        submission_count: 0,
      },
    });
    const [line] = dispute.balance_transactions;
    expect(line).to.include({ type: 'adjustment', amount: -10_000, net: -10_000, source: id });
    const found = await get(`/v1/balance_transactions/${line.id}?expand[]=source`);
    expect(found).to.deep.equal({ ...line, source: dispute });
    const listed = await get('/v1/balance_transactions?type=adjustment&limit=1');
    expect(listed.data[0].id).to.equal(line.id);
    const shown = await get(`/v1/charges/${charge}?expand[]=dispute`);
    expect(shown).to.include({ status: 'succeeded', disputed: true });
    expect(shown.dispute.id).to.equal(id);
    expect(await balance()).to.equal(before - 10_000);
    expect(await eventsOf(id)).to.deep.equal(['dispute.created']);
  });

  it('gives 20 days for Visa and Discover, 30 for Mastercard, 14 for Amex', async () => {
    const days: number[] = [];
    for (const token of ['tok_visa', 'tok_discover', 'tok_mastercard', 'tok_amex']) {
      const { id, reference } = await setup.sale(token);
      const now = setup.clock.now().getTime();
      await setup.report('dispute.opened', reference, OPENED);
      const { evidence_details: details } = await setup.disputeOf(id);
      const { due_by: dueBy } = details as { due_by: string };
      days.push(Math.round((Date.parse(dueBy) - now) / DAY_MS));
    }
    expect(days).to.deep.equal([20, 20, 30, 14]);
  });

  it('submits texts and files to the bank, and wins', async () => {
    const { charge, dispute: id, reference } = await setup.chargeback();
    const lost = await balance();
    const file = await uploadFile(`${setup.url}/v1/files`, setup.secretKey);
    const saved = await post(`/v1/disputes/${id}`, {
      evidence: { customer_name: 'Ada', receipt: file },
      metadata: { case: '7' },
      submit: false,
    });
    expect([saved.status, saved.metadata, setup.answers.length]).to.deep.equal([
      'needs_response',
      { case: '7' },
      0,
    ]);
    const sent = await post(`/v1/disputes/${id}`, {
      evidence: { uncategorized_text: 'She has signed.', customer_name: '' },
    });
    expect(sent.status).to.equal('under_review');
    expect(sent.evidence).to.include({
      uncategorized_text: 'She has signed.',
      customer_name: null,
      receipt: file,
    });
    expect(sent.evidence_details).to.include({ has_evidence: true, submission_count: 1 });
    expect(setup.answers).to.deep.equal([
      {
        verb: 'submit',
        reference: id,
        disputeReference: `case_of_${reference}`,
        amount: 10_000,
        texts: { uncategorized_text: 'She has signed.' },
        files: { receipt: PDF.toString() },
      },
    ]);
    const again = await refused(`/v1/disputes/${id}`, { evidence: { customer_name: 'Ada' } });
    expect(again).to.deep.equal([400, 'status_transition_invalid', undefined]);
    await setup.report('dispute.closed', reference, { outcome: 'won' });
    const won = await get(`/v1/disputes/${id}`);
    expect(won).to.include({ status: 'won', closed_reason: 'ruling', is_charge_refundable: true });
    const amounts = won.balance_transactions.map(({ amount }: { amount: number }) => amount);
    expect(amounts).to.deep.equal([-10_000, 10_000]);
    expect(await balance()).to.equal(lost + 10_000);
    expect(await eventsOf(id)).to.deep.equal(['dispute.created', 'dispute.won']);
    const refund = await post('/v1/refunds', { charge, amount: 100 });
    expect(refund.status).to.equal('succeeded');
  });

  it('keeps the money away when the issuer decides against the merchant', async () => {
    const { dispute: id, reference } = await setup.chargeback();
    await post(`/v1/disputes/${id}`, { evidence: { uncategorized_text: 'No.' } });
    const before = await balance();
    await setup.report('dispute.closed', reference, { outcome: 'lost' });
    await setup.report('dispute.closed', reference, { outcome: 'lost' });
    expect(await get(`/v1/disputes/${id}`)).to.include({ status: 'lost', closed_reason: 'ruling' });
    expect(await balance()).to.equal(before);
    expect(await eventsOf(id)).to.deep.equal(['dispute.created', 'dispute.lost']);
    expect(setup.errors).to.deep.equal([]);
  });

  it('is lost when the merchant accepts it', async () => {
    const { dispute: id } = await setup.chargeback();
    const closed = await post(`/v1/disputes/${id}/close`);
    expect(closed).to.include({ status: 'lost', closed_reason: 'accepted' });
    expect(setup.answers.map(({ verb }) => verb)).to.deep.equal(['accept']);
    expect(await eventsOf(id)).to.deep.equal(['dispute.created', 'dispute.lost']);
    const again = await refused(`/v1/disputes/${id}/close`);
    expect(again).to.deep.equal([400, 'dispute_already_closed', undefined]);
  });

  it('is lost when its time passes, in due order and once', async () => {
    const now = setup.clock.now().getTime();
    const due = (days: number) => ({ dueBy: new Date(now + days * DAY_MS).toISOString() });
    const second = await setup.chargeback(due(2));
    const first = await setup.chargeback(due(1));
    const third = await setup.chargeback(due(3));
    await setup.pass(DAY_MS - 3_600_000);
    const status = async ({ dispute }: { dispute: string }) =>
      (await get(`/v1/disputes/${dispute}`)).status;
    expect(await status(second)).to.equal('needs_response');
    await setup.pass(DAY_MS + 3_600_000);
    expect([await status(first), await status(second), await status(third)]).to.deep.equal([
      'lost',
      'lost',
      'needs_response',
    ]);
    await setup.pass(1_000);
    expect(await eventsOf(first.dispute)).to.deep.equal(['dispute.created', 'dispute.lost']);
    const ended = await get(`/v1/disputes/${second.dispute}`);
    expect(ended).to.include({ closed_reason: 'expired' });
    expect(ended.evidence_details.past_due).to.equal(true);
  });

  it('takes no evidence after its time, although no worker has ended it yet', async () => {
    const { dispute: id } = await setup.chargeback();
    setup.clock.advance(20 * DAY_MS);
    const evidence = { uncategorized_text: 'Too late.' };
    for (const body of [{ evidence }, { evidence, submit: false }]) {
      expect((await refused(`/v1/disputes/${id}`, body))[1]).to.equal('dispute_already_closed');
    }
    expect((await refused(`/v1/disputes/${id}/close`))[1]).to.equal('dispute_already_closed');
    expect(setup.answers).to.deep.equal([]);
    await setup.pass(0);
  });

  it('cannot be contested when the bank says so, and shows both steps', async () => {
    const { dispute: id } = await setup.chargeback({ contestable: false });
    const dispute = await get(`/v1/disputes/${id}`);
    expect(dispute).to.include({ status: 'lost', closed_reason: 'not_contestable' });
    const { data } = await get(`/v1/events?object_id=${id}`);
    const seen = data.map((event: { type: string; data: { object: { status: string } } }) => [
      event.type,
      event.data.object.status,
    ]);
    expect(seen.toReversed()).to.deep.equal([
      ['dispute.created', 'needs_response'],
      ['dispute.lost', 'lost'],
    ]);
    const answered = await refused(`/v1/disputes/${id}`, { evidence: { customer_name: 'A' } });
    expect(answered[1]).to.equal('dispute_not_contestable');
  });

  it('makes one dispute of an alert and its chargeback, under another reference too', async () => {
    const { id: charge, reference } = await setup.sale();
    const before = await balance();
    await setup.report('dispute.alert', reference, { ...OPENED, disputeReference: newReference() });
    const alert = await setup.disputeOf(charge);
    expect(alert).to.include({ status: 'warning_needs_response', is_charge_refundable: true });
    expect(await get(`/v1/charges/${charge}`)).to.include({
      disputed: false,
      dispute: alert['id'],
    });
    expect(await balance()).to.equal(before);
    await setup.report('dispute.opened', reference, { ...OPENED, amount: 9_000 });
    const opened = await setup.disputeOf(charge);
    expect(opened).to.include({ id: alert['id'], status: 'needs_response', amount: 9_000 });
    expect(await balance()).to.equal(before - 9_000);
    expect(await eventsOf(String(alert['id']))).to.deep.equal(['dispute.alert', 'dispute.created']);
  });

  it('is prevented by a full refund under an alert, and not by a part of it', async () => {
    const { id: charge, reference } = await setup.sale();
    await setup.report('dispute.alert', reference, OPENED);
    await post('/v1/refunds', { charge, amount: 4_000 });
    expect((await setup.disputeOf(charge))['status']).to.equal('warning_needs_response');
    await post('/v1/refunds', { charge });
    const dispute = await setup.disputeOf(charge);
    expect(dispute).to.include({ status: 'prevented', closed_reason: 'refunded' });
    expect(await eventsOf(String(dispute['id']))).to.deep.equal(['dispute.alert']);
    await setup.report('dispute.closed', reference, { outcome: 'warning_closed' });
    expect(setup.errors).to.deep.equal([]);
  });

  it('is closed when an alert ends, by its time or by the bank', async () => {
    const [first, second] = [await setup.sale(), await setup.sale()];
    await setup.report('dispute.alert', first.reference, OPENED);
    await setup.report('dispute.alert', second.reference, OPENED);
    await setup.report('dispute.closed', second.reference, { outcome: 'warning_closed' });
    expect((await setup.disputeOf(second.id))['status']).to.equal('warning_closed');
    await setup.pass(3 * DAY_MS);
    const ended = await setup.disputeOf(first.id);
    expect([ended['status'], ended['closed_reason']]).to.deep.equal(['warning_closed', null]);
    const accepted = await refused(`/v1/disputes/${String(ended['id'])}/close`);
    expect(accepted[1]).to.equal('dispute_already_closed');
  });

  it('takes evidence for an alert, which keeps its status, and does not accept an alert', async () => {
    const { id: charge, reference } = await setup.sale();
    await setup.report('dispute.alert', reference, OPENED);
    const { id } = await setup.disputeOf(charge);
    const sent = await post(`/v1/disputes/${String(id)}`, { evidence: { customer_name: 'Ada' } });
    expect(sent.status).to.equal('warning_needs_response');
    expect(sent.evidence_details.submission_count).to.equal(1);
    expect((await refused(`/v1/disputes/${String(id)}/close`))[1]).to.equal(
      'status_transition_invalid',
    );
  });

  it('refuses refunds while a chargeback is open, and of what it has taken', async () => {
    const { charge, dispute: id } = await setup.chargeback({ amount: 6_000 });
    const open = await refused('/v1/refunds', { charge, amount: 100 });
    expect(open).to.deep.equal([400, 'charge_disputed', 'charge']);
    await post(`/v1/disputes/${id}/close`);
    const [, code] = await refused('/v1/refunds', { charge, amount: 4_001 });
    expect(code).to.equal('refund_amount_exceeds_charge');
    await post('/v1/refunds', { charge, amount: 4_000 });
    const rest = await refused('/v1/refunds', { charge, amount: 1 });
    expect(rest).to.deep.equal([400, 'charge_disputed', 'charge']);
  });

  it('takes a chargeback once, however often and under whatever id it is reported', async () => {
    const { id: charge, reference } = await setup.sale();
    const before = await balance();
    const data = { ...OPENED, disputeReference: newReference() };
    const opened = { kind: 'dispute.opened', processorReference: reference, data };
    await Promise.all(
      Array.from({ length: 10 }, async () => setup.send([notice(opened)]).expect(200)),
    );
    await setup.deliver(opened);
    expect(await balance()).to.equal(before - 10_000);
    expect(await eventsOf(String((await setup.disputeOf(charge))['id']))).to.deep.equal([
      'dispute.created',
    ]);
    expect(setup.errors).to.deep.equal([]);
  });

  it('takes a second chargeback that fits beside the first, and shows a person one that never can', async () => {
    const { charge, dispute: id, reference } = await setup.chargeback({ amount: 6_000 });
    const before = await balance();
    const second = { ...OPENED, amount: 4_000, disputeReference: newReference() };
    await setup.report('dispute.opened', reference, second);
    expect(await balance()).to.equal(before - 4_000);
    const { data } = await get(`/v1/disputes?charge=${charge}&status=needs_response`);
    expect(data.map(({ amount }: { amount: number }) => amount)).to.deep.equal([4_000, 6_000]);
    await post(`/v1/disputes/${id}/close`);
    expect(await refused('/v1/refunds', { charge })).to.deep.equal([
      400,
      'charge_disputed',
      'charge',
    ]);
    expect(setup.errors).to.deep.equal([]);
    const large = { ...second, amount: 10_001, disputeReference: newReference() };
    await setup.report('dispute.opened', reference, large);
    expect(setup.errors.map(({ facts }) => facts['reason'])).to.deep.equal([
      `It takes 100.01 EUR; 100.00 EUR of charge ${charge} can be disputed.`,
    ]);
    setup.forget();
  });

  it('refuses evidence that is too long, or names what is no file of the account', async () => {
    const { dispute: id } = await setup.chargeback();
    const long = (...names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, 'x'.repeat(20_000)]));
    const first = long('uncategorized_text', 'customer_name', 'service_date', 'shipping_date');
    await post(`/v1/disputes/${id}`, { evidence: first, submit: false });
    const more = long('product_description', 'billing_address', 'refund_policy_disclosure');
    const most = { ...more, shipping_carrier: 'x'.repeat(10_001) };
    expect(await refused(`/v1/disputes/${id}`, { evidence: most })).to.deep.equal([
      400,
      'parameter_invalid',
      'evidence',
    ]);
    const one = { evidence: { shipping_carrier: 'x'.repeat(20_001) } };
    expect(await refused(`/v1/disputes/${id}`, one)).to.deep.equal([
      400,
      'parameter_invalid',
      'evidence[shipping_carrier]',
    ]);
    const file = 'file_00000000000000000000000000';
    for (const receipt of [file, 'ch_1', 'receipt.pdf']) {
      expect(await refused(`/v1/disputes/${id}`, { evidence: { receipt } })).to.deep.equal([
        400,
        'resource_missing',
        'evidence[receipt]',
      ]);
    }
    expect(await refused(`/v1/disputes/${id}`, { evidence: { secret: 'x' } })).to.deep.equal([
      400,
      'parameter_unknown',
      'evidence[secret]',
    ]);
    expect(setup.answers).to.deep.equal([]);
  });

  it('has nothing to submit without evidence', async () => {
    const { dispute: id } = await setup.chargeback();
    const missing = [400, 'parameter_missing', 'evidence'];
    expect(await refused(`/v1/disputes/${id}`, { submit: true })).to.deep.equal(missing);
    expect(await refused(`/v1/disputes/${id}`, { evidence: {} })).to.deep.equal(missing);
    const noted = await post(`/v1/disputes/${id}`, { metadata: { a: 'b' } });
    expect([noted.status, noted.metadata]).to.deep.equal(['needs_response', { a: 'b' }]);
  });

  it('stays open when the bank refuses the answer', async () => {
    const { dispute: id } = await setup.chargeback();
    setup.respond = async () => ({
      outcome: 'rejected',
      code: 'dispute_already_closed',
      message: 'The case is closed.',
    });
    const answer = await refused(`/v1/disputes/${id}`, { evidence: { customer_name: 'Ada' } });
    expect(answer.slice(0, 2)).to.deep.equal([400, 'dispute_already_closed']);
    const dispute = await get(`/v1/disputes/${id}`);
    expect([dispute.status, dispute.evidence.customer_name]).to.deep.equal([
      'needs_response',
      'Ada',
    ]);
    setup.respond = undefined;
    expect((await post(`/v1/disputes/${id}`, { submit: true })).status).to.equal('under_review');
  });

  it('is decided by a ruling that comes before the answer to the evidence', async () => {
    const { dispute: id, reference } = await setup.chargeback();
    setup.respond = async ({ operationId, amount, currency }) => {
      await setup.report('dispute.closed', reference, { outcome: 'won' });
      return { outcome: 'approved', processorReference: operationId, amount, currency };
    };
    await post(`/v1/disputes/${id}`, { evidence: { customer_name: 'Ada' } });
    expect((await get(`/v1/disputes/${id}`)).status).to.equal('won');
    expect(await eventsOf(id)).to.deep.equal(['dispute.created', 'dispute.won']);
  });

  it('does not expire while an answer is on its way, which is no fault of the data', async () => {
    const { dispute: id } = await setup.chargeback();
    setup.clock.advance(20 * DAY_MS - 1_000);
    setup.respond = async ({ operationId, amount, currency }) => {
      await setup.pass(2_000);
      expect(await setup.paymount.verify()).to.deep.equal([]);
      return { outcome: 'approved', processorReference: operationId, amount, currency };
    };
    const sent = await post(`/v1/disputes/${id}`, { evidence: { customer_name: 'Ada' } });
    expect(sent.status).to.equal('under_review');
    await setup.pass(DAY_MS);
    expect((await get(`/v1/disputes/${id}`)).status).to.equal('under_review');
  });

  it('filters by status, time to answer and time of creation', async () => {
    const now = setup.clock.now().getTime();
    const dueBy = new Date(now + 365 * DAY_MS).toISOString();
    const { dispute: id } = await setup.chargeback({ dueBy });
    const ids = async (query: string): Promise<readonly string[]> =>
      (await get(`/v1/disputes?${query}`)).data.map((each: { id: string }) => each.id);
    expect(await ids(`due_by[gte]=${dueBy}&status=needs_response`)).to.deep.equal([id]);
    expect(await ids(`due_by[gt]=${dueBy}`)).to.deep.equal([]);
    expect(await ids(`due_by[gte]=${dueBy}&status=won`)).to.deep.equal([]);
    expect(await ids(`created[gt]=${new Date(now + 1_000).toISOString()}`)).to.deep.equal([]);
    expect(await ids('charge=ch_00000000000000000000000000')).to.deep.equal([]);
    const { body } = await setup.get('/v1/disputes?status=unknown').expect(400);
    expect(body.error.param).to.equal('status');
  });

  it('answers one Idempotency-Key once', async () => {
    const { dispute: id } = await setup.chargeback();
    const send = () =>
      setup.post(`/v1/disputes/${id}`, { evidence: { customer_name: 'Ada' } }, `key_${id}`);
    const first = await send().expect(200);
    const again = await send().expect(200);
    expect(again.text).to.equal(first.text);
    expect(again.headers['idempotent-replayed']).to.equal('true');
    expect(setup.answers.length).to.equal(1);
  });

  it('serves the unmodified stripe SDK', async () => {
    const { charge, dispute: id } = await setup.chargeback();
    const stripe = new Stripe(setup.secretKey, {
      host: '127.0.0.1',
      port: Number(new URL(setup.url).port),
      protocol: 'http',
    });
    const [listed] = (await stripe.disputes.list({ charge })).data;
    expect(listed?.id).to.equal(id);
    expect((await stripe.disputes.retrieve(id)).status).to.equal('needs_response');
    const saved = await stripe.disputes.update(id, {
      evidence: { customer_name: 'Ada' },
      submit: false,
    });
    expect(saved.evidence.customer_name).to.equal('Ada');
    expect((await stripe.disputes.close(id)).status).to.equal('lost');
    const made = await stripe.charges.retrieve(charge, { expand: ['dispute'] });
    expect(made.disputed).to.equal(true);
  });

  it('is open to the own code of the host', async () => {
    const { dispute: id } = await setup.chargeback();
    const acting = { account: setup.account, environment: 'test' } as const;
    const { disputes } = setup.paymount;
    const saved = await disputes.update(acting, id, {
      evidence: { customer_name: 'Ada' },
      submit: false,
    });
    expect(saved.evidence.customer_name).to.equal('Ada');
    expect((await disputes.list(acting, { status: 'needs_response' })).data[0]?.id).to.equal(id);
    expect((await disputes.close(acting, id)).status).to.equal('lost');
    expect((await disputes.retrieve(acting, id)).closed_reason).to.equal('accepted');
  });
});
