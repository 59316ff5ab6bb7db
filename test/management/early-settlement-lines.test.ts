import { expect } from 'chai';
import type { Processor } from 'paymount/processor';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type NoticeSetup, startNoticeSetup } from '../support/notifying-bank.ts';
import { asShown, type Json, ledgerSums } from './settlement-facts.ts';

type Outcome = Awaited<ReturnType<Processor['refund']>>;

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };

describe('A settlement line that comes before what it is about', () => {
  let setup: NoticeSetup;
  let numbered = 0;

  beforeEach(async () => {
    setup = await startNoticeSetup();
  });
  afterEach(() => setup.close());

  const charge = async (): Promise<{ id: string; reference: string }> => {
    const { body } = await setup.post('/v1/charges', SALE).expect(200);
    return { id: body.id, reference: body.processor.reference };
  };
  const line = (processorReference: string, data: object) => {
    numbered += 1;
    const settledOn = setup.clock.now().toISOString();
    const facts = { lineId: `line_${numbered}`, currency: 'eur', settledOn, kind: 'payment' };
    return { kind: 'settlement_line', processorReference, data: { ...facts, ...data } };
  };
  const differences = async (filter = ''): Promise<readonly unknown[]> => {
    const { json } = await setup.admin(`/settlement_differences${filter}`);
    return (json['data'] as Json[]).map((each) => [each['kind'], each['expected'], each['found']]);
  };
  const findings = async (): Promise<readonly unknown[]> =>
    (await setup.paymount.verify()).map(({ rule, expected, found }) => [rule, expected, found]);

  it('is compared again when the chargeback is known', async () => {
    const { reference } = await charge();
    await setup.deliver(
      line(reference, { amount: 10_000 }),
      line(reference, { amount: -10_000, kind: 'chargeback' }),
    );
    expect(await differences()).to.deep.equal([['amount_differs', null, -10_000]]);
    const data = { disputeReference: 'd1', amount: 10_000, currency: 'eur', reason: 'fraudulent' };
    await setup.deliver({ kind: 'dispute.opened', processorReference: reference, data });
    await setup.pass(MINUTE);
    expect(await differences()).to.deep.equal([]);
    expect(await differences('?state=resolved')).to.deep.equal([
      ['amount_differs', -10_000, -10_000],
    ]);
    expect(await findings()).to.deep.equal([]);
  });

  it('shows what was expected when only that has become known', async () => {
    const { reference } = await charge();
    await setup.deliver(line(reference, { amount: 10_000 }), line(reference, { amount: -9_000 }));
    expect(await differences()).to.deep.equal([['amount_differs', null, -9_000]]);
    const data = { disputeReference: 'd2', amount: 10_000, currency: 'eur', reason: 'fraudulent' };
    await setup.deliver({ kind: 'dispute.opened', processorReference: reference, data });
    await setup.pass(MINUTE);
    expect(await differences()).to.deep.equal([['amount_differs', -10_000, -9_000]]);
    expect(await findings()).to.deep.equal([
      [
        'A settlement line has an amount that its charge or refund moved or another line takes back, or a person has settled it.',
        '-10000',
        '-9000',
      ],
    ]);
  });

  it('is booked within a minute when its operation is known', async () => {
    await setup.deliver(line('nobody_yet', { amount: 10_000 }), line('nobody', { amount: 1 }));
    const { id } = await charge();
    await query(
      setup.databaseUrl,
      `UPDATE paymount.operations SET processor_reference = 'nobody_yet' WHERE subject_id = '${id}'`,
    );
    await setup.pass(MINUTE);
    expect(await ledgerSums(setup.databaseUrl)).to.deep.equal({
      bank: 10_000,
      processor_clearing: 0,
    });
    expect(await differences()).to.deep.equal([['no_operation', null, 1]]);
  });

  it('is booked when its operation is known, although a person had settled it', async () => {
    await setup.deliver(line('nobody_yet', { amount: 10_000 }));
    const { json } = await setup.admin('/settlement_differences');
    const [difference = {}] = json['data'] as Json[];
    const path = `/settlement_differences/${difference['id']}/settle`;
    const settled = await setup.admin(path, { body: asShown(difference) });
    expect(settled.json).to.include({ state: 'settled' });
    const { id } = await charge();
    await query(
      setup.databaseUrl,
      `UPDATE paymount.operations SET processor_reference = 'nobody_yet' WHERE subject_id = '${id}'`,
    );
    await setup.pass(MINUTE);
    expect(await ledgerSums(setup.databaseUrl)).to.deep.equal({
      bank: 10_000,
      processor_clearing: 0,
    });
    expect(await differences('?state=resolved')).to.deep.equal([['no_operation', null, 10_000]]);
    expect(await differences('?state=settled')).to.deep.equal([]);
    expect(await findings()).to.deep.equal([]);
  });

  it('is left as a person settled it, if another line has told the same', async () => {
    await setup.deliver(line('nobody_yet', { amount: 10_000 }));
    const { json } = await setup.admin('/settlement_differences');
    const [difference = {}] = json['data'] as Json[];
    const path = `/settlement_differences/${difference['id']}/settle`;
    await setup.admin(path, { body: asShown(difference) });
    const { id, reference } = await charge();
    await setup.deliver(line(reference, { amount: 10_000 }));
    await query(
      setup.databaseUrl,
      `UPDATE paymount.operations SET processor_reference = 'nobody_yet' WHERE subject_id = '${id}'`,
    );
    await setup.pass(MINUTE);
    expect(await ledgerSums(setup.databaseUrl)).to.deep.equal({
      bank: 10_000,
      processor_clearing: 0,
    });
    expect(await differences('?state=settled')).to.deep.equal([['no_operation', null, 10_000]]);
  });

  it('is not looked at any more a month after a person settled it', async () => {
    await setup.deliver(line('nobody_yet', { amount: 10_000 }));
    const { json } = await setup.admin('/settlement_differences');
    const [difference = {}] = json['data'] as Json[];
    const path = `/settlement_differences/${difference['id']}/settle`;
    await setup.admin(path, { body: asShown(difference) });
    await setup.pass(31 * DAY);
    const { id } = await charge();
    await query(
      setup.databaseUrl,
      `UPDATE paymount.operations SET processor_reference = 'nobody_yet' WHERE subject_id = '${id}'`,
    );
    await setup.pass(MINUTE);
    expect(await differences('?state=settled')).to.deep.equal([['no_operation', null, 10_000]]);
  });

  it('waits for the answer of the refund that has the reference of its charge', async () => {
    const { id, reference } = await charge();
    await setup.deliver(line(reference, { amount: 10_000 }));
    let answer: (outcome: Outcome) => void = () => undefined;
    setup.bank.refund = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const refunding = setup.post('/v1/refunds', { charge: id, amount: 4_000 }).then((sent) => sent);
    await eventually(
      () => query(setup.databaseUrl, `SELECT FROM paymount.operations WHERE kind = 'refund'`),
      (rows) => rows.length === 1,
    );
    await setup.deliver(line(reference, { amount: -4_000, fee: 25, kind: 'refund' }));
    expect(await differences()).to.deep.equal([]);
    const money = { amount: 4_000, currency: 'eur', fee: 25 };
    answer({ outcome: 'approved', processorReference: reference, ...money });
    const { body } = await refunding;
    expect(body.status).to.equal('succeeded');
    await setup.pass(MINUTE);
    const matched = await query<{ amount: string; about: string }>(
      setup.databaseUrl,
      `SELECT l.amount, o.subject_id AS about FROM paymount.settlement_lines l
        JOIN paymount.operations o ON o.id = l.found_id ORDER BY l.amount`,
    );
    expect(matched.map(({ amount, about }) => [Number(amount), about])).to.deep.equal([
      [-4_000, body.id],
      [10_000, id],
    ]);
    expect(await ledgerSums(setup.databaseUrl)).to.deep.equal({
      bank: 10_000 - 4_025,
      processor_clearing: 0,
      processor_fees: 25,
    });
    expect(await differences()).to.deep.equal([]);
    expect(await findings()).to.deep.equal([]);
  });

  it('agrees on its fee when an outcome tells the same, later', async () => {
    setup.bank.fee = 290;
    const { id, reference } = await charge();
    await setup.deliver(line(reference, { amount: 10_000, fee: 250 }));
    await setup.pass(MINUTE);
    expect(await differences()).to.deep.equal([['fee_differs', 290, 250]]);
    const tell = (fee: number) =>
      query(
        setup.databaseUrl,
        `UPDATE paymount.operations SET outcome = outcome || '{"fee": ${fee}}' WHERE subject_id = '${id}'`,
      );
    await tell(270);
    await setup.pass(MINUTE);
    expect(await differences()).to.deep.equal([['fee_differs', 270, 250]]);
    await tell(250);
    await setup.pass(MINUTE);
    expect(await differences()).to.deep.equal([]);
  });

  it('books a fee that is given back, with or without an amount', async () => {
    setup.bank.fee = 290;
    const { id, reference } = await charge();
    const { body } = await setup.post('/v1/refunds', { charge: id, amount: 4_000 }).expect(200);
    const sql = `SELECT processor_reference AS name FROM paymount.operations WHERE subject_id = '${body.id}'`;
    const [refund] = await query<{ name: string }>(setup.databaseUrl, sql);
    await setup.deliver(line(reference, { amount: 10_000, fee: 290 }));
    await setup.deliver(line(reference, { amount: 0, fee: -90, kind: 'fee_refund' }));
    await setup.deliver(line(String(refund?.name), { amount: -4_000, fee: 290 }));
    await setup.deliver(line(String(refund?.name), { amount: 0, fee: -290 }));
    expect(await differences()).to.deep.equal([]);
    expect(await ledgerSums(setup.databaseUrl)).to.deep.equal({
      bank: 10_000 - 200 - 4_000,
      processor_clearing: 0,
      processor_fees: 200,
    });
    expect(await findings()).to.deep.equal([]);
  });

  it('books a fee that is given back before the line that took it', async () => {
    setup.bank.fee = 290;
    const { reference } = await charge();
    await setup.deliver(line(reference, { amount: 0, fee: -90 }));
    expect(await differences()).to.deep.equal([['fee_differs', 200, -90]]);
    await setup.deliver(line(reference, { amount: 10_000, fee: 290 }));
    expect(await differences()).to.deep.equal([]);
    expect(await ledgerSums(setup.databaseUrl)).to.deep.equal({
      bank: 9_800,
      processor_clearing: 0,
      processor_fees: 200,
    });
    expect(await findings()).to.deep.equal([]);
  });
});
