import { SandboxProcessor } from '@paymount/processor-sandbox';
import { describeProcessor, type ProcessorFixtures } from 'paymount/testing';
import { sharedMemory } from '../support/operation-memory.ts';

/** Nobody signs a request of the sandbox, which calls nobody; processor-notices.test.ts has these cases. */
const OF_REQUESTS = /notice|signed|signature/;
const runner = {
  describe,
  it: (name: string, run: Parameters<typeof it>[1]) => {
    if (!OF_REQUESTS.test(name)) it(name, run);
  },
};
const clock = { now: () => new Date(), monotonicMs: () => performance.now(), shiftMs: 0 };

const bankAccount = (accountNumber: string) => ({
  ...{ accountNumber, routingNumber: '110000000', country: 'US', currency: 'eur' },
  ...{ accountHolderName: null, accountHolderType: null },
});

describe('the sandbox processor', () => {
  for (const latencyMs of [0, 5]) {
    describe(`answering after ${latencyMs} ms`, () => {
      const memory = sharedMemory();
      const factory = () => new SandboxProcessor({ memory, clock, latencyMs });
      const fixtures: ProcessorFixtures = {
        approved: {
          type: 'card',
          card: { number: '4242424242424242', expMonth: 12, expYear: 2099, cvc: '123' },
        },
        declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
        approvedSilently: { type: 'card', token: 'pm_card_timeout_approved' },
        tampered: { type: 'card', token: 'tok_amount_tampered' },
        notSent: { type: 'card', token: 'tok_not_sent' },
        destination: bankAccount('000123456789'),
        refusedDestination: bankAccount('000111111113'),
        debited: {
          type: 'us_bank_account',
          usBankAccount: {
            ...{ accountNumber: '000123456789', routingNumber: '110000000' },
            ...{ accountType: 'checking', accountHolderType: 'individual' },
          },
        },
      };
      describeProcessor(factory, fixtures, runner);
    });
  }
});
