import { expect } from 'chai';
import type { Processor } from 'paymount/processor';
import { DoubtfulBank } from '../support/doubtful-bank.ts';
import { type OperatorDesk, startDeskOf } from '../support/operator-desk.ts';

type Sent = Parameters<Processor['authorize']>[0];

/** A bank that keeps what it was told, and answers nothing the first time. */
class ListeningBank extends DoubtfulBank {
  readonly told: Sent[] = [];

  override authorize(sent: Sent): ReturnType<Processor['authorize']> {
    this.told.push(sent);
    if (this.told.length === 1) return Promise.reject(new Error('The line was cut.'));
    return super.authorize(sent);
  }
}

const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };

describe('What a processor is told of a charge', () => {
  let desk: OperatorDesk<ListeningBank>;
  beforeEach(async () => {
    desk = await startDeskOf((clock) => new ListeningBank(clock));
  });
  afterEach(() => desk.close());

  it('is that the payer is absent, and the statement descriptor: again if it is sent again', async () => {
    const more = { off_session: true, statement_descriptor: 'ADA SHOP' };
    const { body } = await desk.post('/v1/charges', { ...SALE, ...more }).expect(200);
    desk.bank.found = 'not_found';
    for (const minutes of [1, 6, 6, 60]) await desk.pass(minutes * 60_000);
    const told = desk.bank.told.map(({ offSession, statementDescriptor, attempt }) => [
      attempt,
      offSession,
      statementDescriptor,
    ]);
    expect(told).to.deep.equal([
      [1, true, 'ADA SHOP'],
      [2, true, 'ADA SHOP'],
    ]);
    expect((await desk.get(`/v1/charges/${body.id}`)).body).to.include({ status: 'succeeded' });
  });

  it('is neither, unless the charge says so', async () => {
    await desk.post('/v1/charges', SALE).expect(200);
    expect(desk.bank.told[0]).to.not.have.any.keys('offSession', 'statementDescriptor');
  });

  it('is not taken from a text', async () => {
    const { status, body } = await desk.post('/v1/charges', { ...SALE, off_session: 'yes' });
    expect([status, body.error.param]).to.deep.equal([400, 'off_session']);
    expect(desk.bank.told).to.deep.equal([]);
  });
});
