import { randomBytes } from 'node:crypto';
import { checkProcessor } from '@paymount/testing';
import { expect } from 'chai';
import { NotSentError, type Processor } from 'paymount/processor';
import { HouseBank } from '../../example-host/src/house-bank.ts';
import { type HouseBankServer, startHouseBank } from '../../example-host/src/house-bank-server.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';

const key = `bank_${randomBytes(12).toString('hex')}`;

describe('the example host’s bank adapter', () => {
  let database: TestDatabase;
  let bank: HouseBankServer;

  before(async () => {
    database = await emptyDatabase();
    bank = await startHouseBank({ databaseUrl: database.url, key });
  });

  after(async () => {
    await bank.close();
    await database.drop();
  });

  const adapter = (): Processor => new HouseBank(bank.url, key);

  it('passes the suite, but for what its test environment cannot provoke', async function () {
    this.timeout(60_000);
    const report = await checkProcessor(adapter, {
      approved: { type: 'card', token: 'house_visa' },
      declined: { type: 'card', token: 'house_stolen' },
      approvedSilently: { type: 'card', token: 'house_slow' },
      environment: 'live',
      secrets: [key],
    });
    expect(report.failed).to.deep.equal([]);
    expect(report.leftOut.map(({ reason }) => reason)).to.deep.equal([
      'The fixtures have no card `tampered`.',
      'The fixtures have no card `notSent`.',
      ...Array(4).fill('capabilities.payouts is false.'),
      ...Array(3).fill(
        'The adapter has no `checkBankAccount`: every well-formed number is accepted.',
      ),
      ...Array(9).fill('The adapter has no `ingest`: notices of its processor are refused.'),
      ...Array(2).fill('capabilities.payouts is false.'),
      ...Array(2).fill('The adapter has no `ingest`: notices of its processor are refused.'),
      'No notice can be read but those of charges.',
      ...Array(5).fill('capabilities.methods has no bank accounts.'),
      ...Array(6).fill('The adapter has no `disputes`: merchants answer at the processor.'),
    ]);
    expect(report.passed).to.have.lengthOf(21);
    expect(report.missingForLive).to.deep.equal([]);
  });

  it('says that nothing was sent when the bank refuses the connection', async () => {
    const gone = await startHouseBank({ databaseUrl: database.url, key });
    await gone.close();
    const error = await new HouseBank(gone.url, key)
      .tokenize({ type: 'card', token: 'house_visa' })
      .catch((reason: unknown) => reason);
    expect(NotSentError.is(error)).to.equal(true);
  });

  it('takes a refused key for an unknown outcome, not for a decline', async () => {
    const error = await new HouseBank(bank.url, 'wrong')
      .tokenize({ type: 'card', token: 'house_visa' })
      .catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error);
    expect(NotSentError.is(error)).to.equal(false);
    expect(String(error)).to.equal('Error: The bank answered 401.');
  });
});
