import { SandboxProcessor } from '@paymount/processor-sandbox';
import { checkProcessor, type ProcessorReport } from '@paymount/testing';
import { expect } from 'chai';
import type { BankAccountAnswer, BankAccountInput, Processor } from 'paymount/processor';
import { sharedMemory } from '../support/operation-memory.ts';
import { testBankAccount } from '../support/sandbox-notices.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now(), shiftMs: 0 };

const ACCEPTS = 'accepts a bank account that payouts reach, and shows its last digits';
const REFUSES = 'refuses a wrong bank account, and says why';
const TOKENS = 'reports a token of a bank account that does not exist';

/** What an adapter makes of the sandbox's answer. */
type Careless = (input: BankAccountInput, answer: BankAccountAnswer) => unknown;

function check(careless?: Careless): Promise<ProcessorReport> {
  const memory = sharedMemory();
  const bank = (): Processor => {
    const sandbox = new SandboxProcessor({ memory, clock });
    const answer = sandbox.checkBankAccount.bind(sandbox);
    const checkBankAccount = async (input: BankAccountInput) =>
      (careless ?? ((_, honest) => honest))(input, await answer(input)) as BankAccountAnswer;
    return Object.assign(sandbox, {
      checkBankAccount,
      capabilities: { ...sandbox.capabilities, payouts: false },
    });
  };
  return checkProcessor(bank, {
    approved: { type: 'card', token: 'tok_visa' },
    declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
    destination: testBankAccount('000123456789'),
    wrongBankAccount: { ...testBankAccount('000123456789'), routingNumber: '110000001' },
  });
}

const accepted = {
  result: 'accepted',
  bankAccount: {
    country: 'US',
    accountNumber: '000123456789',
    routingNumber: '110000000',
    last4: '6789',
  },
};
const shown =
  (change: object): Careless =>
  (_, answer) =>
    answer.result === 'accepted'
      ? { ...answer, bankAccount: { ...answer.bankAccount, ...change } }
      : answer;

/** Adapters with one mistake each, with the case that finds it and what that case says. */
const MISTAKES: Record<string, [Careless, found: string, says: string]> = {
  'accepts every bank account': [
    (input, answer) => ('token' in input ? answer : accepted),
    REFUSES,
    'checkBankAccount of `wrongBankAccount` must answer "refused"; it answered "accepted".',
  ],
  'refuses every bank account': [
    () => ({ result: 'refused', code: 'routing_number_invalid', message: 'No.' }),
    ACCEPTS,
    'checkBankAccount of `destination` must answer "accepted"; it answered "refused".',
  ],
  'refuses with a code of its own': [
    (_, answer) => (answer.result === 'refused' ? { ...answer, code: 'E-51' } : answer),
    REFUSES,
    'The core cannot read what checkBankAccount answered: code must be one of test_number_required, routing_number_invalid, parameter_invalid; it is a text of 4 characters.',
  ],
  'refuses without a word': [
    (_, answer) => (answer.result === 'refused' ? { ...answer, message: '' } : answer),
    REFUSES,
    'A refusal has a message.',
  ],
  'shows the first digits': [
    shown({ last4: '0001' }),
    ACCEPTS,
    'The last4 are the last characters of the number.',
  ],
  'shows the whole number': [
    shown({ last4: '000123456789' }),
    ACCEPTS,
    'The core cannot read what checkBankAccount answered: bankAccount.last4 must be a text of 1 to 4 characters; it is a text of 12 characters.',
  ],
  'moves the bank account to another country': [
    shown({ country: 'CA' }),
    ACCEPTS,
    'The country is that of the bank account.',
  ],
  'takes any token for a bank account': [
    (input, answer) => ('token' in input ? accepted : answer),
    TOKENS,
    'checkBankAccount of a token that names nothing must answer "unknown_token"; it answered "accepted".',
  ],
};

function complaints({ failed }: ProcessorReport): readonly (readonly [string, string])[] {
  return failed.map(({ name, error }) => [name, error.message]);
}

describe('The cases for bank accounts that are added', () => {
  it('pass for an adapter that checks them', async () => {
    const report = await check();
    expect(complaints(report)).to.deep.equal([]);
    expect(report.passed).to.include.members([ACCEPTS, REFUSES, TOKENS]);
  });

  for (const [mistake, [careless, found, says]] of Object.entries(MISTAKES)) {
    it(`fail for an adapter that ${mistake}`, async () => {
      expect(complaints(await check(careless))).to.deep.include([found, says]);
    });
  }
});
