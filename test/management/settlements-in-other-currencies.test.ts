import { expect } from 'chai';
import { query } from '../support/database.ts';
import { type NoticeSetup, startNoticeSetup } from '../support/notifying-bank.ts';
import { asShown, type Json, ledgerSums } from './settlement-facts.ts';

const DAY = 86_400_000;

describe('A settlement line in another currency than its charge', () => {
  let setup: NoticeSetup;

  before(async () => {
    setup = await startNoticeSetup();
  });
  after(() => setup.close());

  const line = (processorReference: string, data: Json & { readonly lineId: string }) => {
    const settledOn = setup.clock.now().toISOString();
    const facts = { currency: 'usd', settledOn, kind: 'payment' };
    return { kind: 'settlement_line', processorReference, data: { ...facts, ...data } };
  };
  const differences = async (kind: string): Promise<readonly Json[]> =>
    (await setup.admin(`/settlement_differences?kind=${kind}`)).json['data'] as Json[];
  const settle = async (difference: Json = {}): Promise<void> => {
    const path = `/settlement_differences/${difference['id']}/settle`;
    const { json } = await setup.admin(path, { body: asShown(difference) });
    expect(json).to.include({ state: 'settled' });
  };

  it('is shown at once and not booked, whenever its charge is known', async () => {
    const sale = { amount: 10_000, currency: 'eur', source: 'tok_visa' };
    const { body } = await setup.post('/v1/charges', sale).expect(200);
    await setup.deliver(
      line(body.processor.reference, { lineId: 'line_1', amount: 10_800, fee: 20 }),
      line('nobody_yet', { lineId: 'line_2', amount: 9_000 }),
    );
    const facts = {
      account: setup.account,
      kind: 'currency_differs',
      currency: 'usd',
      expected: null,
      state: 'open',
    };
    const [found, ...others] = await differences('currency_differs');
    expect(others).to.deep.equal([]);
    expect(found).to.deep.include({ ...facts, line_id: 'line_1', found: 10_800 });
    const rename = `UPDATE paymount.operations SET processor_reference = 'nobody_yet'`;
    await query(setup.databaseUrl, `${rename} WHERE subject_id = '${body.id}'`);
    await setup.pass(DAY);
    const [later] = await differences('currency_differs');
    expect(later).to.deep.include({ ...facts, line_id: 'line_2', found: 9_000 });
    expect(await differences('no_operation')).to.deep.equal([]);
    expect(await ledgerSums(setup.databaseUrl)).to.deep.equal({ processor_clearing: 10_000 });
    expect(await setup.paymount.verify()).to.have.length(2);
    await settle(found);
    await settle(later);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });
});
