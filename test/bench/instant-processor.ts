import type { Outcome, Processor, ProcessorOperation } from '@paymount/core/payments';

const approve = async (operation: ProcessorOperation): Promise<Outcome> => ({
  outcome: 'approved',
  processorReference: `instant_${operation.operationId}`,
  amount: operation.amount,
  currency: operation.currency,
});

/** Knows one card and approves everything at once: what remains is Paymount's own time. */
export const instantProcessor: Processor = {
  name: 'instant',
  capabilities: {
    methods: ['card'],
    manualCapture: true,
    partialCapture: true,
    voids: true,
    refunds: true,
    idempotentSubmit: true,
  },
  tokenize: async () => ({
    result: 'tokenized',
    facts: {
      type: 'card',
      card: {
        brand: 'visa',
        last4: '4242',
        expMonth: 12,
        expYear: 2040,
        fingerprint: 'Xt5EWLLDS7FJjR1c',
        funding: 'credit',
        country: 'US',
        checks: { cvcCheck: 'pass', addressPostalCodeCheck: null },
      },
      processorToken: 'tok_instant_card',
    },
  }),
  authorize: approve,
  capture: approve,
  cancel: approve,
  refund: approve,
  lookup: async () => 'not_found',
};
