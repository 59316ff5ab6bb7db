import { expect } from 'chai';
import { query } from '../support/database.ts';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';
import { DoubtfulBank } from '../support/doubtful-bank.ts';
import { eventually } from '../support/eventually.ts';

const REFUND = { amount: 10 };
const FEES = `SELECT sum(e.amount)::text AS booked FROM paymount.ledger_entry e
  JOIN paymount.ledger_account a ON a.id = e.ledger_account_id WHERE a.code = 'processor_fees'`;

type Json = Readonly<Record<string, unknown>>;

describe('A bank that gives all refunds of a charge its reference', function () {
  this.timeout(60_000);
  let setup: DisputeSetup;

  before(async () => {
    setup = await startDisputeSetup();
  });
  after(() => setup.close());

  /** From now on. */
  const shareWith = (reference: string, fee = 0): void => {
    const { refund } = DoubtfulBank.prototype;
    setup.bank.refund = async (operation) => {
      const answer = await refund.call(setup.bank, operation);
      const isShared = answer.outcome === 'approved';
      return isShared ? { ...answer, processorReference: reference, fee } : answer;
    };
  };

  const lines = (sql: string) => query<Json>(setup.databaseUrl, sql);
  /** What the lines of a charge are about. */
  const matched = async (charge: string): Promise<readonly unknown[]> => {
    const sql = `SELECT o.subject_id AS about FROM paymount.settlement_lines l
      JOIN paymount.operations o ON o.id = l.found_id WHERE l.charge_id = '${charge}'`;
    return (await lines(sql)).map(({ about }) => about);
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

  it('books the fee of each refund once, though two are of one amount and a third has no answer', async () => {
    const { id: charge, reference: processorReference } = await setup.sale();
    shareWith(processorReference, 30);
    const refund = { charge, amount: 500 };
    const first = await setup.post('/v1/refunds', refund).expect(200);
    const second = await setup.post('/v1/refunds', refund).expect(200);
    const release = setup.bank.hold();
    const refunding = setup.post('/v1/refunds', refund).then((sent) => sent);
    await eventually(
      () => lines(`SELECT FROM paymount.operations WHERE charge_id = '${charge}'`),
      (rows) => rows.length === 4,
    );
    const settledOn = setup.clock.now().toISOString();
    const line = (lineId: string) => ({
      kind: 'settlement_line',
      processorReference,
      data: { lineId, amount: -500, fee: 30, currency: 'eur', settledOn, kind: 'refund' },
    });
    await setup.deliver(line('one'), line('two'), line('three'));
    expect(await matched(charge)).to.have.members([first.body.id, second.body.id]);
    release();
    const third = await refunding;
    expect(third.body.status).to.equal('succeeded');
    await setup.pass(60_000);
    expect(await matched(charge)).to.have.members([first.body.id, second.body.id, third.body.id]);
    expect(await lines(FEES)).to.deep.equal([{ booked: '90' }]);
    expect((await setup.admin('/settlement_differences')).json['data']).to.deep.equal([]);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  it('tells refunds of one amount apart by their fees', async () => {
    const { id: charge, reference: processorReference } = await setup.sale();
    const refund = { charge, amount: 500 };
    const refunds: string[] = [];
    for (const fee of [30, 50]) {
      shareWith(processorReference, fee);
      const { body } = await setup.post('/v1/refunds', refund).expect(200);
      refunds.push(body.id);
    }
    shareWith(processorReference, 70);
    const release = setup.bank.hold();
    const refunding = setup.post('/v1/refunds', refund).then((sent) => sent);
    await eventually(
      () => lines(`SELECT FROM paymount.operations WHERE charge_id = '${charge}'`),
      (rows) => rows.length === 4,
    );
    const settledOn = setup.clock.now().toISOString();
    for (const fee of [70, 30, 50]) {
      const data = { lineId: `fee of ${fee}`, amount: -500, fee, currency: 'eur', settledOn };
      await setup.deliver({
        kind: 'settlement_line',
        processorReference,
        data: { ...data, kind: 'refund' },
      });
    }
    release();
    refunds.push((await refunding).body.id);
    await setup.pass(60_000);
    const told = await lines(`SELECT l.fee::text, o.subject_id AS about
      FROM paymount.settlement_lines l JOIN paymount.operations o ON o.id = l.found_id
      WHERE l.charge_id = '${charge}' ORDER BY l.fee`);
    expect(told).to.deep.equal([
      { fee: '30', about: refunds[0] },
      { fee: '50', about: refunds[1] },
      { fee: '70', about: refunds[2] },
    ]);
    // With the fees of the test before.
    expect(await lines(FEES)).to.deep.equal([{ booked: '240' }]);
    expect((await setup.admin('/settlement_differences')).json['data']).to.deep.equal([]);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });
});
