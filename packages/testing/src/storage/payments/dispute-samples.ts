import assert from 'node:assert/strict';
import { newId } from '@paymount/core/kernel';
import type { Charge, Dispute, DisputeFacts } from '@paymount/core/payments';
import { AT, later } from '../samples.ts';
import type { StorageSetup } from '../setup.ts';

type Alert = Dispute & { readonly status: 'warning_needs_response' };

/** An alert. Each has a processor of its own, so that it meets no dispute of another case. */
export function sampleDispute(charge: Charge, facts: Partial<DisputeFacts> = {}): Alert {
  const { accountId, environment, id: chargeId, amount, currency } = charge;
  return {
    accountId,
    environment,
    id: newId('dp'),
    version: 1,
    chargeId,
    amount,
    currency,
    reason: 'fraudulent',
    networkReasonCode: '10.4',
    processorName: `p_${newId('req')}`,
    processorReference: 'dispute_1',
    dueBy: later(60_000),
    pastDue: false,
    round: 1,
    earlier: [],
    evidence: { texts: { customer_name: 'Zoë 😀' }, files: { receipt: newId('file') } },
    submissionCount: 0,
    metadata: { ключ: '"\\' },
    created: AT,
    ...facts,
    status: 'warning_needs_response',
  };
}

/** The write that adds a dispute. */
export const insertOf = (row: Dispute) => ({ kind: 'dispute', mode: 'insert', row }) as const;
/** The write that changes one. */
export const updateOf = (row: Dispute) => ({ kind: 'dispute', mode: 'update', row }) as const;
/** Stores an alert. */
export async function storedDispute(
  setup: StorageSetup,
  charge: Charge,
  facts: Partial<DisputeFacts> = {},
): Promise<Alert> {
  const row = sampleDispute(charge, facts);
  assert.equal(await setup.apply({ writes: [insertOf(row)] }), 'applied');
  return row;
}

/** One that has ended, so that the next one of its charge may be opened. */
export async function endedDispute(
  setup: StorageSetup,
  charge: Charge,
  facts: Partial<DisputeFacts> = {},
): Promise<Dispute> {
  const row = { ...sampleDispute(charge, facts), status: 'warning_closed' } as const;
  assert.equal(await setup.apply({ writes: [insertOf(row)] }), 'applied');
  return row;
}
