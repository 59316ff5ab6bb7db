import { newId } from '../../kernel/basics/id.ts';
import {
  approved,
  authorized,
  type Charge,
  failed,
  refundedBy,
  submitted,
} from '../../payments/charges/charge.ts';
import { toChargeFailure } from '../../payments/charges/charge-failure.ts';
import { type ChargeJson, toChargeResource } from '../../payments/charges/charge-resource.ts';
import { emptyBillingDetails } from '../../payments/contacts/contact.ts';
import type { CatalogueOf } from './catalogue-entry.ts';
import { days, type FixtureFacts } from './fixture.ts';

/** The events of charges; each fixture is a charge in the state that it has at its event, made by the same rules as real ones. */
export const CHARGE_EVENTS: CatalogueOf<'charge', ChargeJson> = {
  'charge.succeeded': {
    meaning: 'A charge was authorised and captured at once',
    fixture: (facts) => toChargeResource(sold(pending(facts, facts.at), facts)),
  },
  'charge.failed': {
    meaning:
      'A charge was declined by the issuer, blocked by risk or returned by a bank, or its authorization expired',
    fixture: (facts) => toChargeResource(declined(pending(facts, facts.at))),
  },
  'charge.captured': {
    meaning: 'A previously authorised charge was captured',
    fixture: (facts) => toChargeResource(captured(facts)),
  },
  'charge.refunded': {
    meaning: 'A full or partial refund completed',
    fixture: (facts) =>
      toChargeResource(refundedBy(sold(pending(facts, days(facts.at, -1)), facts), facts.amount)),
  },
  'charge.pending': {
    meaning: 'A bank (ACH) debit was submitted and awaits clearing',
    fixture: (facts) => toChargeResource(debited(facts)),
  },
};

function pending({ owner, amount, currency, at }: FixtureFacts, created: Date): Charge {
  return {
    ...owner,
    id: newId('ch'),
    version: 1,
    status: 'pending',
    amount,
    currency,
    captureMethod: 'automatic',
    offSession: false,
    amountRefunded: 0,
    customerId: null,
    paymentMethodId: newId('pm'),
    method: {
      type: 'card',
      card: {
        brand: 'visa',
        last4: '4242',
        expMonth: 12,
        expYear: at.getUTCFullYear() + 3,
        fingerprint: 'fp_triggered',
        funding: 'credit',
        country: 'US',
        checks: { cvcCheck: 'pass', addressPostalCodeCheck: null },
      },
    },
    processorToken: '',
    billingDetails: emptyBillingDetails,
    processorName: 'sandbox',
    description: null,
    statementDescriptor: null,
    receiptEmail: null,
    shipping: null,
    metadata: {},
    created,
  };
}

/** A bank debit that was submitted. */
function debited(facts: FixtureFacts): Charge {
  const method = {
    type: 'us_bank_account',
    usBankAccount: {
      bankName: 'Test Bank',
      last4: '6789',
      routingNumber: '110000000',
      accountType: 'checking',
      accountHolderType: 'individual',
      accountHolderName: null,
      fingerprint: 'fp_triggered',
    },
  } as const;
  return submitted({ ...pending(facts, facts.at), method }, buildApproval(facts));
}

function buildApproval({ amount, currency }: FixtureFacts) {
  const processorReference = newId('op');
  const networkTransactionId = `net_${processorReference}`;
  return {
    outcome: 'approved',
    processorReference,
    amount,
    currency,
    networkTransactionId,
  } as const;
}

function sold(charge: Charge, facts: FixtureFacts): Charge {
  return approved(charge, buildApproval(facts), {
    amountCaptured: facts.amount,
    capturedAt: charge.created,
    balanceTransactionId: newId('txn'),
  });
}

/** Authorized a day ago, and captured now. */
function captured(facts: FixtureFacts): Charge {
  const held = pending(facts, days(facts.at, -1));
  const approval = buildApproval(facts);
  const charge = authorized({ ...held, captureMethod: 'manual' }, approval, days(facts.at, 6));
  return approved(charge, approval, {
    amountCaptured: facts.amount,
    capturedAt: facts.at,
    balanceTransactionId: newId('txn'),
  });
}

function declined(charge: Charge): Charge {
  const refusal = {
    outcome: 'declined',
    code: 'card_declined',
    declineCode: 'insufficient_funds',
    message: 'Your card has insufficient funds.',
    retry: 'later',
  } as const;
  return failed(charge, toChargeFailure(refusal));
}
