import { expect } from 'chai';
import { query } from '../support/database.ts';
import { type DisputeSetup, startDisputeSetup } from '../support/dispute-setup.ts';

const DAY_MS = 86_400_000;

const shown = async (setup: DisputeSetup, id: string) =>
  (await setup.get(`/v1/disputes/${id}`).expect(200)).body;
const eventsOf = async (setup: DisputeSetup, id: string): Promise<readonly string[]> => {
  const { body } = await setup.get(`/v1/events?limit=100&object_id=${id}`).expect(200);
  return body.data.map(({ type }: { type: string }) => type).reverse();
};
const amountsOf = ({ balance_transactions: lines }: { balance_transactions: unknown[] }) =>
  lines.map((line) => (line as { amount: number }).amount);

describe('disputes that are answered at the processor', () => {
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup({ takesAnswers: false });
  });
  after(() => setup.close());
  afterEach(async () => {
    expect(setup.errors).to.deep.equal([]);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  it('stay open after their time, past due, until the processor reports a ruling', async () => {
    const won = await setup.chargeback();
    const lost = await setup.chargeback();
    await setup.pass(21 * DAY_MS);
    await setup.pass(21 * DAY_MS);
    for (const { dispute } of [won, lost]) {
      const open = await shown(setup, dispute);
      expect(open).to.include({ status: 'needs_response', closed_reason: null });
      expect(open.evidence_details.past_due).to.equal(true);
      expect(await eventsOf(setup, dispute)).to.deep.equal(['dispute.created']);
    }
    await setup.report('dispute.closed', won.reference, { outcome: 'won' });
    await setup.report('dispute.closed', lost.reference, { outcome: 'lost' });
    const ended = await shown(setup, won.dispute);
    expect(ended).to.include({ status: 'won', closed_reason: 'ruling' });
    expect(amountsOf(ended)).to.deep.equal([-10_000, 10_000]);
    expect(await eventsOf(setup, won.dispute)).to.deep.equal(['dispute.created', 'dispute.won']);
    expect(await shown(setup, lost.dispute)).to.include({
      status: 'lost',
      closed_reason: 'ruling',
    });
  });

  it('close an alert by its time all the same', async () => {
    const { id: charge, reference } = await setup.sale();
    await setup.report('dispute.alert', reference, {
      amount: 10_000,
      currency: 'eur',
      reason: 'fraudulent',
    });
    await setup.pass(4 * DAY_MS);
    expect((await setup.disputeOf(charge))['status']).to.equal('warning_closed');
  });
});

describe('a dispute that the processor reports as won', () => {
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup();
  });
  after(() => setup.close());
  afterEach(async () => {
    setup.forget();
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const win = ({ reference }: { reference: string }) =>
    setup.report('dispute.closed', reference, { outcome: 'won' });
  const balance = async (): Promise<number> =>
    (await setup.get('/v1/balance').expect(200)).body.available[0]?.amount ?? 0;

  it('returns the money once, although its time had passed', async () => {
    const made = await setup.chargeback();
    await setup.pass(21 * DAY_MS);
    expect(await shown(setup, made.dispute)).to.include({
      status: 'lost',
      closed_reason: 'expired',
    });
    const before = await balance();
    await win(made);
    await win(made);
    expect(await shown(setup, made.dispute)).to.include({ status: 'won', closed_reason: 'ruling' });
    expect(await balance()).to.equal(before + 10_000);
    expect(await eventsOf(setup, made.dispute)).to.deep.equal([
      'dispute.created',
      'dispute.lost',
      'dispute.won',
    ]);
    expect(setup.errors).to.deep.equal([]);
  });

  it('returns the money, although the merchant had accepted it', async () => {
    const made = await setup.chargeback();
    await setup.post(`/v1/disputes/${made.dispute}/close`).expect(200);
    await win(made);
    const won = await shown(setup, made.dispute);
    expect(won).to.include({ status: 'won', is_charge_refundable: true });
    expect(amountsOf(won)).to.deep.equal([-10_000, 10_000]);
    await setup.post('/v1/refunds', { charge: made.charge }).expect(200);
    expect(setup.errors).to.deep.equal([]);
  });

  it('waits for a person after another ruling, and if it could not be contested', async () => {
    const ruled = await setup.chargeback();
    await setup.report('dispute.closed', ruled.reference, { outcome: 'lost' });
    const final = await setup.chargeback({ contestable: false });
    await win(ruled);
    await win(final);
    expect(setup.errors.map(({ facts }) => facts['reason'])).to.deep.equal(
      [ruled, final].map(
        ({ dispute }) => `It is won at the processor; dispute ${dispute} is lost.`,
      ),
    );
  });
});

describe('the fee of the processor for an answer to a dispute', () => {
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup();
  });
  after(() => setup.close());

  it('is booked once for each answer, also for one that changes nothing', async () => {
    const [submitted, ruled, accepted] = [
      await setup.chargeback(),
      await setup.chargeback(),
      await setup.chargeback(),
    ];
    const approve = async (reference?: string): Promise<void> => {
      setup.respond = async ({ operationId, amount, currency }) => {
        if (reference) await setup.report('dispute.closed', reference, { outcome: 'won' });
        const approval = { processorReference: operationId, amount, currency, fee: 1_500 };
        return { outcome: 'approved', ...approval };
      };
    };
    const evidence = { uncategorized_text: 'She has signed.' };
    await approve();
    await setup.post(`/v1/disputes/${submitted.dispute}`, { evidence }).expect(200);
    await setup.post(`/v1/disputes/${accepted.dispute}/close`).expect(200);
    await approve(ruled.reference);
    await setup.post(`/v1/disputes/${ruled.dispute}`, { evidence }).expect(200);
    const booked = await query(
      setup.databaseUrl,
      `SELECT o.kind, e.amount::integer AS amount FROM paymount.ledger_transaction t
        JOIN paymount.operations o ON o.id = t.source_id
        JOIN paymount.ledger_entry e ON e.transaction_id = t.id
        JOIN paymount.ledger_account a ON a.id = e.ledger_account_id
        WHERE t.kind = 'processor_fee' AND a.code = 'processor_fees' ORDER BY o.id`,
    );
    expect(booked).to.deep.equal([
      { kind: 'submit_evidence', amount: 1_500 },
      { kind: 'accept_dispute', amount: 1_500 },
      { kind: 'submit_evidence', amount: 1_500 },
    ]);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });
});

describe('a dispute with as much evidence and metadata as possible', () => {
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup({
      disputeFees: () => ({
        amount: 1_500,
        details: [{ amount: 1_500, type: 'dispute', description: 'Chargeback' }],
      }),
    });
  });
  after(() => setup.close());

  it('can be won: what no event could show is refused when it is sent', async () => {
    const { dispute: id, reference } = await setup.chargeback();
    const store = (body: object) => setup.post(`/v1/disputes/${id}`, { ...body, submit: false });
    const wide = '\u{1F512}'.repeat(8_000);
    const names = ['uncategorized_text', 'customer_name', 'service_date', 'shipping_date'];
    for (const name of [...names, 'product_description', 'billing_address']) {
      await store({ evidence: { [name]: wide } }).expect(200);
    }
    const metadata = (from: number) =>
      Object.fromEntries(
        Array.from({ length: 20 }, (_, at) => [`key_${from + at}`, '\u{1F512}'.repeat(500)]),
      );
    await store({ metadata: metadata(0) }).expect(200);
    const { status, body } = await store({ metadata: metadata(20) });
    expect([status, body.error?.code, body.error?.param]).to.deep.equal([
      400,
      'parameter_invalid',
      'metadata',
    ]);
    const more = await store({ evidence: { shipping_carrier: '\u{1F512}'.repeat(9_000) } });
    expect([more.status, more.body.error?.param]).to.deep.equal([400, 'evidence']);
    await setup.report('dispute.closed', reference, { outcome: 'won' });
    expect(await shown(setup, id)).to.include({ status: 'won' });
    expect(setup.errors).to.deep.equal([]);
  });
});
