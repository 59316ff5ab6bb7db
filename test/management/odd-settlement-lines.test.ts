import { expect } from 'chai';
import { type NoticeSetup, startNoticeSetup } from '../support/notifying-bank.ts';

const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };

type Json = Readonly<Record<string, unknown>>;

describe('A settlement line in no currency', () => {
  let setup: NoticeSetup;

  before(async () => {
    setup = await startNoticeSetup();
  });
  after(() => setup.close());

  it('waits for a person, and books nothing', async () => {
    const { body } = await setup.post('/v1/charges', SALE).expect(200);
    const settledOn = setup.clock.now().toISOString();
    await setup.deliver({
      kind: 'settlement_line',
      processorReference: body.processor.reference,
      data: { lineId: 'line_1', amount: 10_000, currency: 'EURO', settledOn, kind: 'payment' },
    });
    const { json } = await setup.admin('/notices');
    expect((json['data'] as Json[]).map(({ state, reason }) => [state, reason])).to.deep.equal([
      ['quarantined', 'Line line_1 is in euro, which is no currency.'],
    ]);
    const { pending } = (await setup.get('/v1/balance').expect(200)).body;
    expect(pending.map(({ currency }: Json) => currency)).to.deep.equal(['eur']);
    expect((await setup.admin('/settlement_differences')).json['data']).to.deep.equal([]);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });
});
