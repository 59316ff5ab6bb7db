import { SandboxProcessor } from '@paymount/processor-sandbox';
import { checkProcessor, type ProcessorReport } from '@paymount/testing';
import { expect } from 'chai';
import type { Outcome, PayoutOperation } from 'paymount/processor';
import { sharedMemory } from '../support/operation-memory.ts';
import { testBankAccount } from '../support/sandbox-notices.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now(), shiftMs: 0 };
const REACHED = '000123456789';
const REFUSED = '000111111113';
const PAYS = 'pays out exactly the amount asked for, and finds the payout by its operation id';
const REFUSES = 'refuses a payout to a bank account that takes none';

/** What an adapter makes of a payout. */
type Careless = (operation: PayoutOperation, honest: Promise<Outcome>) => Promise<Outcome>;

function check(careless: Careless = (_, honest) => honest): Promise<ProcessorReport> {
  const memory = sharedMemory();
  class Bank extends SandboxProcessor {
    override payout(operation: PayoutOperation): Promise<Outcome> {
      return careless(operation, super.payout(operation));
    }
  }
  return checkProcessor(() => new Bank({ memory, clock }), {
    approved: { type: 'card', token: 'tok_visa' },
    declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
    destination: testBankAccount(REACHED),
    refusedDestination: testBankAccount(REFUSED),
  });
}

const answering =
  (number: string, outcome: Outcome): Careless =>
  (operation, honest) =>
    operation.destination.accountNumber === number ? honest.then(() => outcome) : honest;

/** Adapters with one mistake each, with the case that finds it and what that case says. */
const MISTAKES: Record<string, [Careless, found: string, says: string]> = {
  'says of a closed bank account that the request was at fault': [
    answering(REFUSED, { outcome: 'rejected', code: 'account_closed', message: 'Closed.' }),
    REFUSES,
    'payout must answer "declined"; it answered "rejected".',
  ],
  'declines what the bank takes': [
    answering(REACHED, {
      outcome: 'declined',
      code: 'declined',
      declineCode: 'declined',
      message: 'No.',
      retry: 'never',
    }),
    PAYS,
    'payout must answer "approved" or "pending"; it answered "declined".',
  ],
};

function complaints({ failed }: ProcessorReport): readonly (readonly [string, string])[] {
  return failed.map(({ name, error }) => [name, error.message]);
}

describe('The cases for payouts', () => {
  it('pass for an adapter that pays out', async () => {
    const report = await check();
    expect(complaints(report)).to.deep.equal([]);
    expect(report.passed).to.include.members([PAYS, REFUSES]);
  });

  for (const [mistake, [careless, found, says]] of Object.entries(MISTAKES)) {
    it(`fail for an adapter that ${mistake}`, async () => {
      expect(complaints(await check(careless))).to.deep.include([found, says]);
    });
  }
});
