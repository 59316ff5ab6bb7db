import { BillingScheduler } from '@paymount/core/billing';
import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { fakeClock } from '../../../support/clock.ts';

const NOW = new Date('2030-02-01T00:00:00.000Z');

describe('What is due of billing', () => {
  it('is done in turns: one of each account, then another of each', async () => {
    const [first, second] = [newId('acct'), newId('acct')];
    const due = [first, first, first, second, second, second].map((accountId) => ({
      accountId,
      environment: 'test' as const,
      id: newId('sub'),
      nextActionAt: NOW,
    }));
    const done: string[] = [];
    const work = {
      noun: 'subscription',
      findDue: async () => due,
      advance: async ({ accountId }: { accountId: string }) => void done.push(accountId),
      postpone: async () => undefined,
      failingOf: async () => undefined,
    };
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const runner = { start: async () => undefined };
    await new BillingScheduler(work, { runner, clock: fakeClock(), logger }).pass(() => false);
    // A pass begins at any of them.
    for (const turn of [0, 2, 4]) {
      expect(done.slice(turn, turn + 2)).to.have.members([first, second]);
    }
  });
});
