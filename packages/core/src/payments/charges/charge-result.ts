import type { Event } from '../../changes/events/event.ts';
import { buildEvent } from '../../changes/events/event-resource.ts';
import type { StoredResponse } from '../../changes/idempotency/idempotency.ts';
import {
  toStoredErrorResponse,
  toStoredResponse,
} from '../../changes/idempotency/stored-response.ts';
import { causeOfResult } from '../operations/cause-of-result.ts';
import type { Operation } from '../operations/operation.ts';
import { concludedOn, quarantined } from '../operations/operation-states.ts';
import { type Subject, toTestClock } from '../operations/operation-subject.ts';
import { type CallResult, contradicts } from '../operations/outcome.ts';
import {
  type DebitedAccountPorts,
  openDebitedAccount,
} from '../payment-methods/open-debited-account.ts';
import { clockField, timeOf } from '../test-clocks/object-clock.ts';
import { type Charge, outcomeUnknown } from './charge.ts';
import { chargeError, toProcessorError } from './charge-error.ts';
import { type ChargeMove, decideMoves } from './charge-moves.ts';
import { toChargeResource } from './charge-resource.ts';
import { CHARGE_TRANSITIONS, type ChargeTrigger } from './charge-states.ts';
import type { ChargeChange } from './charge-storage.ts';
import type { PaymentRules } from './payment-rules.ts';
import { type PaymentRequest, sendPayment } from './send-payment.ts';

/** What a person's refusal of an authorization says. */
const REFUSALS = {
  card: {
    code: 'card_declined',
    declineCode: 'generic_decline',
    message: 'Your card was declined.',
  },
  us_bank_account: {
    code: 'bank_account_declined',
    declineCode: 'bank_account_declined',
    message: 'The bank refused the debit.',
  },
} as const;

/**
 * Phase 3 of a charge's operation: computes the change of the charge, its ledger, its event and the
 * stored answer from a result. Pure: the same facts give the same change except for new ids.
 */
function concludeCharge(
  charge: Charge,
  operation: Operation,
  result: CallResult,
  at: Date,
  rules: PaymentRules,
): ChargeChange {
  const { accountId, environment } = charge;
  const base = { accountId, environment, at, ...clockField(charge) };
  const now = timeOf(charge, at);
  if (contradicts(operation, result)) {
    const held = {
      kind: 'operation',
      mode: 'update',
      row: quarantined(operation, result, at),
    } as const;
    // A person decides what became of it; until then nobody knows.
    const isNew = charge.status === 'pending' && charge.outcome === undefined;
    const shown = isNew ? outcomeUnknown(charge) : charge;
    return {
      ...base,
      writes: isNew ? [{ kind: 'charge', mode: 'update', row: shown }, held] : [held],
      ...idempotentResponse(operation, toStoredResponse(toChargeResource(shown))),
    };
  }
  const row = {
    kind: 'operation',
    mode: 'update',
    row: concludedOn(charge, operation, result, at),
  } as const;
  const moves = decideMoves(charge, operation, result, now, rules);
  const moved = moves.at(-1);
  if (moved === undefined || !moves.every(({ trigger }) => isAllowed(charge, trigger))) {
    return {
      ...base,
      writes: [row],
      ...idempotentResponse(operation, responseForUnchanged(charge, operation, result)),
    };
  }
  return {
    ...base,
    writes: [{ kind: 'charge', mode: 'update', row: moved.charge }, row],
    ...moved.booking,
    ...(moved.blocks && { blocked: { methodId: charge.paymentMethodId, block: moved.blocks } }),
    events: moves.flatMap((each) => eventOf(each, operation, now)),
    ...idempotentResponse(operation, responseForCharge(moved.charge, operation)),
    ...(isResult(moved) ? { settled: { kind: 'charge', charge: moved.charge } } : {}),
  };
}

function isAllowed(charge: Charge, trigger: ChargeTrigger | undefined): boolean {
  return trigger === undefined || CHARGE_TRANSITIONS[trigger].from === charge.status;
}

/** A bank debit that was only submitted has no result yet. */
function isResult({ trigger }: ChargeMove): boolean {
  return trigger !== undefined && trigger !== 'debit_submitted';
}

/**
 * What opens the number of the bank account that a charge debits; nothing for a card. Its holder is the
 * one that the charge names, because the payment method names nobody once it is detached.
 */
export function accountOf(
  charge: Charge,
  accounts: DebitedAccountPorts,
): Pick<PaymentRequest, 'openAccount'> {
  if (charge.method.type !== 'us_bank_account') return {};
  const { paymentMethodId, billingDetails } = charge;
  const debited = { paymentMethodId, accountHolderName: billingDetails.name };
  return { openAccount: () => openDebitedAccount(accounts, charge, debited) };
}

/**
 * Prepares a charge for its operations.
 * @param accounts what opens the number of its bank account
 */
export function prepareCharge(
  charge: Charge,
  rules: PaymentRules,
  accounts: DebitedAccountPorts,
): Subject<ChargeChange> {
  const request = toRequest(charge, accounts);
  return {
    isOfBankAccount: request.openAccount !== undefined,
    send: (processor, sent) => sendPayment(processor, sent, request),
    mayBeLess: ({ kind }) =>
      kind === 'capture' || (kind === 'authorize' && request.capture === true),
    refusal: ({ kind }) => (kind === 'authorize' ? REFUSALS[charge.method.type] : undefined),
    conclude: (operation, result, at) => concludeCharge(charge, operation, result, at, rules),
  };
}

function toRequest(charge: Charge, accounts: DebitedAccountPorts): PaymentRequest {
  const { processorReference, offSession, statementDescriptor } = charge;
  return {
    paymentMethod: { processorToken: charge.processorToken },
    ...accountOf(charge, accounts),
    capture: charge.captureMethod === 'automatic',
    ...(offSession ? { offSession } : {}),
    ...(statementDescriptor === null ? {} : { statementDescriptor }),
    metadata: charge.metadata,
    ...(processorReference === undefined ? {} : { previous: { processorReference } }),
    ...toTestClock(charge),
  };
}

function eventOf(
  { charge, trigger }: ChargeMove,
  operation: Operation,
  at: Date,
): readonly Event[] {
  const type = trigger === undefined ? null : CHARGE_TRANSITIONS[trigger].event;
  if (type === null) return [];
  const { accountId, environment, version } = charge;
  return [
    buildEvent({
      owner: { accountId, environment },
      type,
      object: toChargeResource(charge),
      objectVersion: version,
      at,
      ...causeOfResult(charge, operation),
      testClockId: charge.clock?.id,
    }),
  ];
}

function idempotentResponse(
  operation: Operation,
  response: StoredResponse,
): Pick<ChargeChange, 'response'> {
  const key = operation.idempotencyKey;
  return key === undefined ? {} : { response: { key, response } };
}

function responseForCharge(charge: Charge, operation: Operation): StoredResponse {
  const error = chargeError(charge);
  return error === undefined
    ? toStoredResponse(toChargeResource(charge))
    : toStoredErrorResponse(error, operation.requestId);
}

/** A capture or cancel that changed nothing: refused, or of unknown outcome (200, unchanged). */
function responseForUnchanged(
  charge: Charge,
  operation: Operation,
  result: CallResult,
): StoredResponse {
  const error = operation.kind === 'authorize' ? undefined : toProcessorError(result);
  return error === undefined
    ? toStoredResponse(toChargeResource(charge))
    : toStoredErrorResponse(error, operation.requestId);
}
