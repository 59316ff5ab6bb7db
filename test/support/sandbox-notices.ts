import { newId } from '@paymount/core/kernel';
import type { ProcessorFixtures } from '@paymount/testing';
import type { BankDestination, Processor } from 'paymount/processor';
import type { SharedMemory } from './operation-memory.ts';

type Notices = NonNullable<ProcessorFixtures['notices']>;
type Subject = Parameters<NonNullable<Notices['dispute.closed']>['report']>[0][number];

/** A bank account of the sandbox. */
export function testBankAccount(accountNumber: string): BankDestination {
  return {
    accountNumber,
    routingNumber: '110000000',
    country: 'US',
    currency: 'eur',
    accountHolderName: null,
    accountHolderType: null,
  };
}

/**
 * What the sandbox sends about operations: the lines that it planned when it executed them. It plans no
 * `account_update`, but reads one in a file that somebody wrote.
 * @param sandbox has the option `settlementLines`
 */
export function sandboxNotices(
  memory: SharedMemory,
  sandbox: () => Pick<Processor, 'disputes'>,
): Notices {
  const report = (about: readonly Pick<Subject, 'operationId'>[]) => {
    const lines = about.flatMap(({ operationId }) => memory.plannedOf(operationId));
    return { file: Buffer.from(lines.map(({ text }) => text).join('\n')) };
  };
  const card = (name: string) => ({ of: { type: 'card', token: `tok_${name}` }, report }) as const;
  const debit = (name: string) =>
    ({ of: { type: 'us_bank_account', token: `pm_usBankAccount_${name}` }, report }) as const;
  const payout = { of: testBankAccount('000999999991'), report };
  return {
    'charge.settled': debit('success'),
    'charge.failed': debit('insufficientFunds'),
    'refund.settled': card('pendingRefund'),
    'refund.failed': card('refundFail'),
    'dispute.alert': card('createDisputeInquiry'),
    'dispute.opened': card('createDispute'),
    'dispute.closed': {
      report: async (about) =>
        report(await Promise.all(about.map((each) => decide(sandbox(), each)))),
    },
    'payout.paid': payout,
    'payout.failed': payout,
    settlement_line: { report },
    account_update: { report: (about) => ({ file: Buffer.from(about.map(toUpdate).join('\n')) }) },
  };
}

function toUpdate({ operationId, processorToken }: Subject): string {
  const data = { processorToken, expYear: 2031 };
  const noticeId = `update_${operationId}`;
  return JSON.stringify({ noticeId, kind: 'account_update', occurredAt: '2026-11-21', data });
}

/** Answers a dispute so that the issuer decides it. @returns the answer */
async function decide(
  { disputes }: Pick<Processor, 'disputes'>,
  { disputeReference = '', processorReference, amount, currency }: Subject,
): Promise<Pick<Subject, 'operationId'>> {
  const operationId = newId('op');
  await disputes?.submitEvidence({
    operationId,
    attempt: 1,
    amount,
    currency,
    reference: newId('dp'),
    disputeReference,
    stage: 'chargeback',
    previous: { processorReference },
    livemode: false,
    metadata: {},
    evidence: { texts: { uncategorized_text: 'winning_evidence' }, files: [] },
    deadline: new AbortController().signal,
  });
  return { operationId };
}
