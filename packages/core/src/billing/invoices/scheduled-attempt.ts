import { newId } from '../../kernel/basics/id.ts';
import type { Attempt } from './charge-invoice.ts';

/** How a worker charges an invoice: the payer is absent, and the processor is called after the commit. */
export function scheduledAttempt(): Omit<Attempt, 'at' | 'processors'> {
  return {
    call: { requestId: newId('req') },
    createdBy: { type: 'system', id: 'paymount' },
    offSession: true,
    deferred: true,
  };
}
