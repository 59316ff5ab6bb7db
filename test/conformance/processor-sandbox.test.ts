import { SandboxProcessor } from '@paymount/processor-sandbox';
import { describeProcessor, type ProcessorFixtures } from '@paymount/testing';
import { sharedMemory } from '../support/operation-memory.ts';
import { sandboxNotices, testBankAccount } from '../support/sandbox-notices.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now(), shiftMs: 0 };

describe('the sandbox processor', () => {
  for (const latencyMs of [0, 5]) {
    describe(`answering after ${latencyMs} ms`, () => {
      const memory = sharedMemory();
      const factory = () =>
        new SandboxProcessor({ memory, clock, latencyMs, settlementLines: true });
      const fixtures: ProcessorFixtures = {
        approved: {
          type: 'card',
          card: { number: '4242424242424242', expMonth: 12, expYear: 2099, cvc: '123' },
        },
        declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
        approvedSilently: { type: 'card', token: 'pm_card_timeout_approved' },
        tampered: { type: 'card', token: 'tok_amount_tampered' },
        notSent: { type: 'card', token: 'tok_not_sent' },
        destination: testBankAccount('000123456789'),
        refusedDestination: testBankAccount('000111111113'),
        wrongBankAccount: { ...testBankAccount('000123456789'), routingNumber: '110000001' },
        notices: sandboxNotices(memory, factory),
        debited: {
          type: 'us_bank_account',
          usBankAccount: {
            accountNumber: '000123456789',
            routingNumber: '110000000',
            accountType: 'checking',
            accountHolderType: 'individual',
          },
        },
      };
      describeProcessor(factory, fixtures);
    });
  }
});
