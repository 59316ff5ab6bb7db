import { expect } from 'chai';
import { type NoticeSetup, startNoticeSetup } from '../support/notifying-bank.ts';
import { type Json, ledgerSums, readReference } from './settlement-facts.ts';

const MINUTE = 60_000;
const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };
const CASE = { disputeReference: 'case_1' };
const TAKEN = { ...CASE, amount: 4_000, currency: 'eur', reason: 'fraudulent' };

/** The processor moved money and moved it back before Paymount learned of either, so neither is booked. */
describe('Settlement lines that cancel each other', () => {
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
  const settle = (processorReference: string, currency: string, ...amounts: readonly number[]) => {
    const lines = amounts.map((amount) => {
      numbered += 1;
      const settledOn = setup.clock.now().toISOString();
      const data = { lineId: `line_${numbered}`, currency, settledOn, kind: 'any', amount };
      return { kind: 'settlement_line', processorReference, data };
    });
    return setup.deliver(...lines);
  };
  const differences = async (filter = ''): Promise<readonly unknown[]> => {
    const { json } = await setup.admin(`/settlement_differences${filter}`);
    return (json['data'] as Json[]).map((each) => [each['kind'], each['expected'], each['found']]);
  };
  /** The last round is known first, so that what the first one gave back is never booked. */
  const loseInRoundTwo = async (processorReference: string): Promise<void> => {
    const report = (kind: string, data: object) =>
      setup.deliver({ kind, processorReference, data });
    await report('dispute.opened', { ...TAKEN, round: 2 });
    await report('dispute.closed', { ...CASE, outcome: 'lost', round: 2 });
    await report('dispute.opened', { ...TAKEN, round: 1 });
    await report('dispute.closed', { ...CASE, outcome: 'won', round: 1 });
  };

  it('are no difference after a ruling that became known too late to count', async () => {
    const { reference } = await charge();
    await loseInRoundTwo(reference);
    await settle(reference, 'eur', 10_000, -4_000, 4_000, -4_000);
    await setup.pass(MINUTE);
    expect(await differences()).to.deep.equal([]);
    expect(await differences('?state=resolved')).to.deep.equal([['amount_differs', 4_000, 4_000]]);
    expect(await setup.paymount.verify()).to.deep.equal([]);
    expect(await ledgerSums(setup.databaseUrl)).to.deep.equal({
      bank: 6_000,
      processor_clearing: 0,
    });
  });

  it('are no difference if the line that takes the money again comes last', async () => {
    const { reference } = await charge();
    await loseInRoundTwo(reference);
    await settle(reference, 'eur', 10_000, -4_000, 4_000);
    await setup.pass(MINUTE);
    expect(await differences()).to.deep.equal([['amount_differs', 10_000, 4_000]]);
    await settle(reference, 'eur', -4_000);
    await setup.pass(MINUTE);
    expect(await differences()).to.deep.equal([]);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  it('cancel one line each', async () => {
    const { reference } = await charge();
    await loseInRoundTwo(reference);
    await settle(reference, 'eur', 10_000, -4_000, 4_000, -4_000, 4_000);
    await setup.pass(MINUTE);
    expect(await differences()).to.deep.equal([['amount_differs', 10_000, 4_000]]);
  });

  it('are both about the charge, or both about the same refund', async () => {
    const { id, reference } = await charge();
    const refunds: string[] = [];
    for (const amount of [4_000, 3_000]) {
      const { body } = await setup.post('/v1/refunds', { charge: id, amount }).expect(200);
      refunds.push(await readReference(setup.databaseUrl, body.id));
    }
    const [first = '', second = ''] = refunds;
    await settle(reference, 'eur', 10_000, 4_000);
    await settle(first, 'eur', -4_000, -4_000);
    await settle(second, 'eur', -3_000, 4_000);
    await setup.pass(MINUTE);
    expect(await differences()).to.have.deep.members([
      ['amount_differs', 10_000, 4_000],
      ['amount_differs', null, 4_000],
    ]);
    await settle(second, 'eur', -4_000);
    await setup.pass(MINUTE);
    expect(await differences()).to.deep.equal([['amount_differs', 10_000, 4_000]]);
  });

  it('are no difference of a debit whose return is known before it has cleared', async () => {
    const debit = { amount: 5_000, currency: 'usd', payment_method: 'pm_usBankAccount_processing' };
    const { body } = await setup.post('/v1/charges', debit).expect(200);
    const { reference } = body.processor;
    const data = { code: 'as_the_bank_says', message: 'It came back.', returnCode: 'R01' };
    await setup.deliver({ kind: 'charge.failed', processorReference: reference, data });
    await settle(reference, 'usd', 5_000, -5_000);
    await setup.pass(MINUTE);
    expect(await differences()).to.deep.equal([]);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });
});
