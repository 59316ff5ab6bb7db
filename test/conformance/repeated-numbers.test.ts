import { SandboxProcessor } from '@paymount/processor-sandbox';
import { checkProcessor, type ProcessorReport } from '@paymount/testing';
import { expect } from 'chai';
import type { Notice, NoticeSource, Processor } from 'paymount/processor';
import { sharedMemory } from '../support/operation-memory.ts';
import { sandboxNotices, testBankAccount } from '../support/sandbox-notices.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now(), shiftMs: 0 };

const DEBITED = '000123456789';
const PAID = '000999999991';
/** What each adapter repeats where it should not. */
const repeated = (text: string) => ({ note: `About ${DEBITED} and ${PAID}: ${text}` });

type Asked<Method extends 'payout' | 'lookup'> = Parameters<SandboxProcessor[Method]>;

/** Adapters that repeat account numbers, with the cases that find it. */
const MISTAKES: Record<string, [typeof SandboxProcessor, readonly string[]]> = {
  'the answer to a payout': [
    class extends SandboxProcessor {
      override async payout(...asked: Asked<'payout'>) {
        return { ...(await super.payout(...asked)), ...repeated('paid') };
      }
    },
    ['pays out exactly the amount asked for, and finds the payout by its operation id'],
  ],
  'the error of a payout': [
    class extends SandboxProcessor {
      override async payout(...asked: Asked<'payout'>) {
        const [operation] = asked;
        if (!operation.deadline.aborted) return super.payout(...asked);
        throw new Error(`Too late to pay ${operation.destination.accountNumber}.`);
      }
    },
    ['pays nothing out after its deadline'],
  ],
  'a look-up': [
    class extends SandboxProcessor {
      override async lookup(...asked: Asked<'lookup'>) {
        const found = await super.lookup(...asked);
        return found === 'not_found' ? found : { ...found, ...repeated('found') };
      }
    },
    [
      'pays out exactly the amount asked for, and finds the payout by its operation id',
      'submits a bank debit, and finds it',
    ],
  ],
  'a notice': [
    class extends SandboxProcessor {
      override async *ingest(source: NoticeSource): AsyncIterable<Notice> {
        for await (const notice of super.ingest(source)) {
          yield { ...notice, ...repeated('reported') };
        }
      }
    },
    [
      'reads a notice that a bank debit cleared, with its amount',
      'reads a notice of kind payout.paid once, with the payout that it is about',
    ],
  ],
};

function check(Bank: typeof SandboxProcessor): Promise<ProcessorReport> {
  const memory = sharedMemory();
  const bank = (): Processor => new Bank({ memory, clock, settlementLines: true });
  return checkProcessor(bank, {
    approved: { type: 'card', token: 'tok_visa' },
    declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
    debited: {
      type: 'us_bank_account',
      usBankAccount: {
        accountNumber: DEBITED,
        routingNumber: '110000000',
        accountType: 'checking',
        accountHolderType: 'individual',
      },
    },
    destination: testBankAccount(DEBITED),
    notices: sandboxNotices(memory, () => new SandboxProcessor({ memory, clock })),
  });
}

describe('The cases of an adapter that repeats account numbers', () => {
  it('pass if it repeats none', async () => {
    const { failed } = await check(SandboxProcessor);
    expect(failed.map(({ name, error }) => [name, error.message])).to.deep.equal([]);
  });

  for (const [where, [Bank, found]] of Object.entries(MISTAKES)) {
    it(`fail if it repeats them in ${where}`, async () => {
      const { failed } = await check(Bank);
      const said = new Map(failed.map(({ name, error }) => [name, error.message]));
      for (const name of found) {
        expect(said.get(name), name).to.equal('An answer or error of the adapter holds a secret.');
      }
    });
  }
});
