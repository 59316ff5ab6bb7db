import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';
import { eventually } from '../support/eventually.ts';

const MINUTE_MS = 60_000;

describe('disputes in the transaction of a host', () => {
  let setup: DisputeSetup;
  let knex: Knex;
  before(async () => {
    setup = await startDisputeSetup();
    knex = createKnex({ client: 'pg', connection: setup.databaseUrl, pool: { min: 0, max: 4 } });
  });
  after(async () => {
    await knex.destroy();
    await setup.close();
  });
  beforeEach(() => {
    setup.answers.length = 0;
  });
  afterEach(async () => {
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const acting = () => ({ account: setup.account, environment: 'test' }) as const;
  const find = (id: string) => setup.paymount.disputes.retrieve(acting(), id);
  const ended = (id: string, status: string) =>
    eventually(async () => ((await find(id)).status === status ? true : undefined));
  /** Runs `work` in a transaction that is rolled back. */
  const undo = async (work: (trx: Knex.Transaction) => Promise<unknown>): Promise<void> => {
    const undone = knex.transaction(async (trx) => {
      await work(trx);
      throw new Error('undone');
    });
    expect(await undone.catch(String)).to.equal('Error: undone');
    // What the processor could have been asked by mistake would be asked by now.
    await setup.pass(MINUTE_MS);
  };

  it('are changed and listed, and nothing of it stays after a rollback', async () => {
    const { dispute: id, charge } = await setup.chargeback();
    await undo(async (trx) => {
      const { disputes } = setup.paymount.using(trx);
      const evidence = { customer_name: 'Ada' };
      const saved = await disputes.update(acting(), id, { evidence, submit: false });
      expect(saved.evidence.customer_name).to.equal('Ada');
      expect((await disputes.retrieve(acting(), id)).evidence.customer_name).to.equal('Ada');
      const { data } = await disputes.list(acting(), { charge });
      expect(data.map((dispute) => dispute.id)).to.deep.equal([id]);
    });
    expect((await find(id)).evidence.customer_name).to.equal(null);
  });

  it('are answered after the commit, and not at all after a rollback', async () => {
    const { dispute: id } = await setup.chargeback();
    const evidence = { uncategorized_text: 'She has signed.' };
    await undo((trx) => setup.paymount.using(trx).disputes.update(acting(), id, { evidence }));
    expect(setup.answers).to.deep.equal([]);
    expect(await find(id)).to.include({ status: 'needs_response' });
    await knex.transaction(async (trx) => {
      const { disputes } = setup.paymount.using(trx);
      const answered = await disputes.update(acting(), id, { evidence });
      expect(answered.status).to.equal('needs_response');
      expect(setup.answers).to.deep.equal([]);
    });
    await ended(id, 'under_review');
    expect(setup.answers.map(({ verb, texts }) => [verb, texts])).to.deep.equal([
      ['submit', evidence],
    ]);
  });

  it('are accepted after the commit, and not at all after a rollback', async () => {
    const { dispute: id } = await setup.chargeback();
    await undo((trx) => setup.paymount.using(trx).disputes.close(acting(), id));
    expect(setup.answers).to.deep.equal([]);
    expect(await find(id)).to.include({ status: 'needs_response', closed_reason: null });
    await knex.transaction((trx) => setup.paymount.using(trx).disputes.close(acting(), id));
    await ended(id, 'lost');
    expect(setup.answers.map(({ verb }) => verb)).to.deep.equal(['accept']);
    expect(await find(id)).to.include({ closed_reason: 'accepted' });
  });
});

describe('disputes and the options of the host', () => {
  it('takes the fee of the operator, runs the hook, and refuses answers without support', async () => {
    const seen: (readonly [string, string])[] = [];
    const setup = await startDisputeSetup({
      takesAnswers: false,
      disputeFees: () => ({
        amount: 1_500,
        details: [{ amount: 1_500, type: 'dispute', description: 'Chargeback' }],
      }),
      hook: async (_, settled) => {
        if (settled.kind === 'dispute') seen.push([settled.dispute.status, settled.charge.id]);
      },
    });
    try {
      const { charge, dispute: id, reference } = await setup.chargeback();
      const { body } = await setup.get(`/v1/disputes/${id}`);
      expect(body.balance_transactions[0]).to.deep.include({
        amount: -10_000,
        fee: 1_500,
        net: -11_500,
        fee_details: [
          { amount: 1_500, currency: 'eur', type: 'dispute', description: 'Chargeback' },
        ],
      });
      const answer = await setup.post(`/v1/disputes/${id}`, { evidence: { customer_name: 'A' } });
      expect([answer.status, answer.body.error.code]).to.deep.equal([
        400,
        'operation_not_supported',
      ]);
      await setup.report('dispute.closed', reference, { outcome: 'won' });
      expect(seen).to.deep.equal([
        ['needs_response', charge],
        ['won', charge],
      ]);
      const money = (await setup.get('/v1/balance')).body;
      expect([money.pending[0].amount, money.available[0].amount]).to.deep.equal([10_000, -1_500]);
      expect(await setup.paymount.verify()).to.deep.equal([]);
    } finally {
      await setup.close();
    }
  });

  it('runs the hook for a dispute that a refund has prevented, after that of the refund', async () => {
    const seen: string[] = [];
    let refusal: string | undefined;
    const setup = await startDisputeSetup({
      hook: async (_, settled) => {
        if (settled.kind !== 'refund' && settled.kind !== 'dispute') return;
        const { status } = settled.kind === 'refund' ? settled.refund : settled.dispute;
        if (refusal === status) throw new Error('Not now.');
        seen.push(`${settled.kind} ${status} of ${settled.charge.amount_refunded}`);
      },
    });
    try {
      const { id: charge, reference } = await setup.sale();
      await setup.report('dispute.alert', reference, OPENED);
      refusal = 'prevented';
      const { body } = await setup.post('/v1/refunds', { charge }).expect(200);
      expect(body.status).to.equal('pending');
      expect((await setup.disputeOf(charge))['status']).to.equal('warning_needs_response');
      refusal = undefined;
      seen.length = 0;
      await setup.pass(61_000);
      expect(seen).to.deep.equal(['refund succeeded of 10000', 'dispute prevented of 10000']);
      expect((await setup.disputeOf(charge))['status']).to.equal('prevented');
      expect(await setup.paymount.verify()).to.deep.equal([]);
    } finally {
      await setup.close();
    }
  });
});
