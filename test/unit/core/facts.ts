import { newId } from '@paymount/core/kernel';
import type {
  Charge,
  ChargeFacts,
  Operation,
  OperationKind,
  PaymentRules,
} from '@paymount/core/payments';
import { prepareCharge } from '../../../packages/core/src/payments/charges/charge-result.ts';

/** The moment at which everything in these tests happens. */
export const AT = new Date('2026-11-21T09:30:00.000Z');

const OWNER = { accountId: newId('acct'), environment: 'test' } as const;

/** A pending charge of 100.00 eur; `changes` makes it another. */
export function buildCharge(changes: Partial<ChargeFacts> = {}): Charge {
  return {
    ...OWNER,
    id: newId('ch'),
    version: 1,
    status: 'pending',
    amount: 10_000,
    currency: 'eur',
    captureMethod: 'automatic',
    amountRefunded: 0,
    customerId: null,
    paymentMethodId: newId('pm'),
    method: {
      type: 'card',
      card: {
        brand: 'visa',
        last4: '4242',
        expMonth: 12,
        expYear: 2034,
        fingerprint: 'fp_1',
        funding: 'credit',
        country: 'US',
        checks: { cvcCheck: 'pass', addressPostalCodeCheck: null },
      },
    },
    processorToken: 'card_visa',
    billingDetails: { name: null, email: null, phone: null, address: null },
    processorName: 'sandbox',
    description: null,
    statementDescriptor: null,
    offSession: false,
    receiptEmail: null,
    shipping: null,
    metadata: {},
    created: AT,
    ...changes,
  };
}

/** The operation of that charge as it was sent, under the key `k1`. */
export function buildOperation(charge: Charge, kind: OperationKind = 'authorize'): Operation {
  return {
    ...OWNER,
    id: newId('op'),
    version: 1,
    kind,
    subjectId: charge.id,
    rootId: charge.id,
    processor: 'sandbox',
    attempt: 1,
    amount: charge.amount,
    currency: charge.currency,
    state: 'sent',
    deadlineAt: new Date(AT.getTime() + 30_000),
    nextLookupAt: new Date(AT.getTime() + 40_000),
    lookups: 0,
    notFounds: 0,
    idempotencyKey: 'k1',
    requestId: newId('req'),
    created: AT,
  };
}

/** Nothing is sent in these tests, so no number is opened. */
const NO_ACCOUNTS = {
  read: { paymentMethods: { find: async () => undefined } },
  sealer: { open: async () => '' },
};

/** The charge with the rules by which its results are decided. */
export function prepare(
  charge: Charge,
  rules: PaymentRules,
): Pick<ReturnType<typeof prepareCharge>, 'conclude'> {
  return prepareCharge(charge, rules, NO_ACCOUNTS);
}

export const APPROVAL = {
  outcome: 'approved',
  processorReference: 'p_1',
  amount: 10_000,
  currency: 'eur',
} as const;

export const DECLINE = {
  outcome: 'declined',
  code: 'card_declined',
  declineCode: 'insufficient_funds',
  message: 'The card has insufficient funds.',
  retry: 'later',
} as const;
