import { expect } from 'chai';
import type { Processor } from 'paymount/processor';
import { DoubtfulBank } from '../support/doubtful-bank.ts';
import { type OperatorSetup, startSetupWith } from '../support/operator-setup.ts';

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
  let setup: OperatorSetup<ListeningBank>;
  beforeEach(async () => {
    setup = await startSetupWith((clock) => new ListeningBank(clock));
  });
  afterEach(() => setup.close());

  it('is that the payer is absent, and the statement descriptor: again if it is sent again', async () => {
    const more = { off_session: true, statement_descriptor: 'ADA SHOP' };
    const { body } = await setup.post('/v1/charges', { ...SALE, ...more }).expect(200);
    setup.bank.found = 'not_found';
    for (const minutes of [1, 6, 6, 60]) await setup.pass(minutes * 60_000);
    const told = setup.bank.told.map(({ offSession, statementDescriptor, attempt }) => [
      attempt,
      offSession,
      statementDescriptor,
    ]);
    expect(told).to.deep.equal([
      [1, true, 'ADA SHOP'],
      [2, true, 'ADA SHOP'],
    ]);
    expect((await setup.get(`/v1/charges/${body.id}`)).body).to.include({ status: 'succeeded' });
  });

  it('is neither, unless the charge says so', async () => {
    await setup.post('/v1/charges', SALE).expect(200);
    expect(setup.bank.told[0]).to.not.have.any.keys('offSession', 'statementDescriptor');
  });

  it('is not taken from a text', async () => {
    const { status, body } = await setup.post('/v1/charges', { ...SALE, off_session: 'yes' });
    expect([status, body.error.param]).to.deep.equal([400, 'off_session']);
    expect(setup.bank.told).to.deep.equal([]);
  });
});
