import { createHash } from 'node:crypto';
import {
  CURRENT_API_VERSION,
  type Event,
  type EventPattern,
  type EventType,
} from '@paymount/core/changes';
import type {
  AttemptRecord,
  ClaimedDelivery,
  Endpoint,
  EndpointSecret,
} from '@paymount/core/events';
import {
  type EndpointId,
  type IdempotencyClaim,
  newId,
  type Owner,
  type PaymentMethodId,
} from '@paymount/core/kernel';
import type {
  CardFacts,
  Charge,
  ChargeFacts,
  Operation,
  PaymentMethod,
  Refund,
  Token,
} from '@paymount/core/payments';

/** The business time of every case. */
export const AT = new Date('2026-11-21T09:30:00.000Z');

/** `AT` plus this many milliseconds. */
export function later(ms: number): Date {
  return new Date(AT.getTime() + ms);
}

const CARD: CardFacts = {
  brand: 'visa',
  last4: '4242',
  expMonth: 12,
  expYear: 2099,
  fingerprint: 'fp_conformance',
  funding: 'credit',
  country: 'US',
  checks: { cvcCheck: 'pass', addressPostalCodeCheck: null },
};
const FACTS = { type: 'card', card: CARD, processorToken: 'processor-token' } as const;

const MAKER = { type: 'platform', id: 'ca_1', grant: newId('grt') } as const;

const BILLING = { name: 'Zoë 😀', email: null, phone: null, address: null };

export function samplePaymentMethod(owner: Owner): PaymentMethod {
  return {
    ...owner,
    ...FACTS,
    id: newId('pm'),
    version: 1,
    billingDetails: BILLING,
    metadata: { note: 'café' },
    use: { state: 'unattached' },
    created: AT,
  };
}

export function sampleToken(owner: Owner): Token {
  return {
    ...owner,
    ...FACTS,
    id: newId('tok'),
    version: 1,
    used: false,
    created: AT,
    expiresAt: later(900_000),
  };
}

/** A pending charge over 100.00. */
export function sampleCharge(
  owner: Owner,
  paymentMethodId: PaymentMethodId,
  facts: Partial<ChargeFacts> = {},
): Charge & { readonly status: 'pending' } {
  return {
    ...owner,
    id: newId('ch'),
    version: 1,
    status: 'pending',
    amount: 10_000,
    currency: 'eur',
    captureMethod: 'automatic',
    amountRefunded: 0,
    customerId: null,
    paymentMethodId,
    method: { type: 'card', card: CARD },
    processorToken: FACTS.processorToken,
    billingDetails: BILLING,
    processorName: 'conformance',
    description: 'An order',
    statementDescriptor: null,
    offSession: true,
    receiptEmail: null,
    shipping: null,
    metadata: { order: '6735' },
    created: AT,
    createdBy: MAKER,
    ...facts,
  };
}

export function sampleOperation(charge: Charge, more: Partial<Operation> = {}): Operation {
  return {
    accountId: charge.accountId,
    environment: charge.environment,
    id: newId('op'),
    version: 1,
    kind: 'authorize',
    subjectId: charge.id,
    rootId: charge.id,
    processor: 'conformance',
    attempt: 1,
    amount: charge.amount,
    currency: charge.currency,
    state: 'sent',
    deadlineAt: later(30_000),
    nextLookupAt: later(40_000),
    expectedBy: later(60_000),
    lookups: 0,
    notFounds: 0,
    requestId: newId('req'),
    created: AT,
    ...more,
  };
}

/** An operation without its due times, which storage computes with its own clock. */
export function withoutWaits(
  operation: Operation | undefined,
): Omit<Operation, 'deadlineAt' | 'nextLookupAt'> | undefined {
  if (operation === undefined) return undefined;
  const { deadlineAt: _, nextLookupAt: __, ...rest } = operation;
  return rest;
}

export function sampleRefund(charge: Charge, amount: number): Refund {
  return {
    accountId: charge.accountId,
    environment: charge.environment,
    id: newId('re'),
    version: 1,
    status: 'pending',
    chargeId: charge.id,
    amount,
    currency: charge.currency,
    reason: 'duplicate',
    balanceTransactionId: newId('txn'),
    metadata: {},
    created: AT,
    createdBy: MAKER,
  };
}

export function sampleClaim(owner: Owner, key: string): IdempotencyClaim {
  return {
    ...owner,
    key,
    credential: 'host',
    fingerprint: 'f'.repeat(64),
    requestId: newId('req'),
    lockedUntil: later(60_000),
    created: AT,
  };
}

export function sampleEndpoint(
  owner: Owner,
  enabledEvents: readonly EventPattern[] = ['*'],
): Endpoint {
  return {
    ...owner,
    id: newId('we'),
    version: 1,
    url: 'https://hooks.example.com/paymount',
    enabledEvents,
    description: null,
    metadata: {},
    apiVersion: CURRENT_API_VERSION,
    status: 'enabled',
    secretVersion: 1,
    created: AT,
    createdBy: MAKER,
    changedBy: { type: 'user', id: 'user-1' },
    urlSetBy: MAKER,
  };
}

export function sampleSecret(owner: Owner, endpointId: EndpointId): EndpointSecret {
  return {
    ...owner,
    id: newId('whs'),
    endpointId,
    sealed: 'sealed.secret',
    kid: 'first',
    last4: 'aB3=',
    hash: createHash('sha256').update(endpointId).digest(),
    created: AT,
  };
}

export function sampleEvent(owner: Owner, type: EventType = 'charge.succeeded'): Event {
  const id = newId('evt');
  return {
    ...owner,
    id,
    type,
    apiVersion: CURRENT_API_VERSION,
    created: AT,
    objectId: newId('ch'),
    objectVersion: 2,
    body: JSON.stringify({ id, note: 'café 😀' }),
    source: 'api',
    requestId: newId('req'),
  };
}

/** The log entry of an attempt with the response 200. */
export function sampleAttempt(delivery: ClaimedDelivery): AttemptRecord {
  return {
    accountId: delivery.accountId,
    environment: delivery.environment,
    id: newId('att'),
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    endpointId: delivery.endpointId,
    attempt: delivery.attempt,
    outcome: 'succeeded',
    url: delivery.url,
    remoteAddress: '2001:db8::1',
    requestHeaders: { 'content-type': 'application/json' },
    responseStatus: 200,
    responseHeaders: { 'set-cookie': ['a=1', 'b=2'] },
    responseBody: new Uint8Array([0, 255, 92, 34]),
    responseTruncated: false,
    startedAt: AT,
    durationMs: 12.5,
    waitMs: 3,
    reusedConnection: true,
    redialed: false,
  };
}
