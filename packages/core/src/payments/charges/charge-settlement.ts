import { buildEvent } from '../../changes/events/event-resource.ts';
import type { StoredResponse } from '../../changes/idempotency/idempotency.ts';
import {
  toStoredErrorResponse,
  toStoredResponse,
} from '../../changes/idempotency/stored-response.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { bookCapture, bookProcessorFee, type Fee } from '../../ledger/recipes.ts';
import { clockField, timeOf } from '../object-clock.ts';
import type { Operation } from '../operations/operation.ts';
import { concludedOn, quarantined } from '../operations/operation-states.ts';
import { type Subject, toTestClock } from '../operations/operation-subject.ts';
import { type CallResult, contradicts } from '../operations/outcome.ts';
import type { PaymentChange } from '../payment-change.ts';
import type { Charge } from './charge.ts';
import {
  approved,
  authorized,
  canceled,
  failed,
  outcomeUnknown,
  toChargeFailure,
} from './charge.ts';
import { chargeError, toProcessorError } from './charge-error.ts';
import { toChargeResource } from './charge-resource.ts';
import { CHARGE_TRANSITIONS, type ChargeTrigger } from './charge-states.ts';

/** The fee that the operator keeps of a captured charge, in minor units. @defaultValue nothing */
export type FeeSchedule = (charge: Charge, amount: number) => Fee;

export interface SettlementRules {
  readonly fees: FeeSchedule;
  /** The fee that the operator takes for a chargeback of an amount, in minor units. */
  readonly disputeFees: FeeSchedule;
  /** How long an authorization is valid. */
  readonly authorizationDays: (environment: Environment) => number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** If neither processor nor account sets a time, funds are available after two days. */
const DEFAULT_DELAY_MS = 2 * DAY_MS;

/**
 * Phase 3 of a charge's operation: computes the change of the charge, its ledger, its event and the
 * stored answer from a result. Pure: the same facts give the same change except for new ids.
 */
function concludeCharge(
  charge: Charge,
  operation: Operation,
  result: CallResult,
  at: Date,
  rules: SettlementRules,
): PaymentChange {
  const { accountId, environment } = charge;
  const base = { accountId, environment, at, ...clockField(charge) };
  const now = timeOf(charge, at);
  if (contradicts(operation, result)) {
    return {
      ...base,
      writes: [{ kind: 'operation', mode: 'update', row: quarantined(operation, result, at) }],
      ...idempotentResponse(operation, toStoredResponse(toChargeResource(charge))),
    };
  }
  const row = {
    kind: 'operation',
    mode: 'update',
    row: concludedOn(charge, operation, result, at),
  } as const;
  const moved = decideTransition(charge, operation, result, now, rules);
  if (moved === undefined || !isTransitionAllowed(charge, moved.trigger)) {
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
    ...buildEvents(moved.charge, moved.trigger, operation, now),
    ...idempotentResponse(operation, responseForCharge(moved.charge, operation)),
    ...(moved.trigger === undefined ? {} : { settled: { kind: 'charge', charge: moved.charge } }),
  };
}

/** Loads a charge for the runner. */
export function prepareCharge(charge: Charge, rules: SettlementRules): Subject {
  const { processorReference } = charge;
  return {
    request: {
      paymentMethod: { processorToken: charge.processorToken },
      capture: charge.captureMethod === 'automatic',
      metadata: charge.metadata,
      ...(processorReference === undefined ? {} : { previous: { processorReference } }),
      ...toTestClock(charge),
    },
    isOnClock: charge.clock !== undefined,
    conclude: (operation, result, at) => concludeCharge(charge, operation, result, at, rules),
  };
}

interface Transition {
  readonly charge: Charge;
  /** Absent if only facts changed, not the status. */
  readonly trigger?: ChargeTrigger;
  readonly booking?: Pick<PaymentChange, 'postings' | 'balanceTransactions'>;
}

function isTransitionAllowed(charge: Charge, trigger: ChargeTrigger | undefined): boolean {
  return trigger === undefined || CHARGE_TRANSITIONS[trigger].from === charge.status;
}

function decideTransition(
  charge: Charge,
  operation: Operation,
  result: CallResult,
  at: Date,
  rules: SettlementRules,
): Transition | undefined {
  switch (operation.kind) {
    case 'authorize':
      return decideAuthorization(charge, operation, result, at, rules);
    case 'capture':
      if (result.outcome !== 'approved') return undefined;
      return capture(charge, operation.amount, result, at, rules, 'capture');
    case 'cancel':
      if (result.outcome !== 'approved') return undefined;
      return {
        charge: canceled(charge, at),
        trigger: 'cancel',
        booking: bookProcessorFee(result, charge.id, at),
      };
    case 'refund':
    case 'payout':
    case 'submit_evidence':
    case 'accept_dispute':
      return undefined;
  }
}

function decideAuthorization(
  charge: Charge,
  operation: Operation,
  result: CallResult,
  at: Date,
  rules: SettlementRules,
): Transition | undefined {
  switch (result.outcome) {
    case 'approved': {
      if (charge.captureMethod === 'automatic') {
        return capture(charge, operation.amount, result, at, rules, 'sale_approved');
      }
      const captureBefore = new Date(
        at.getTime() + rules.authorizationDays(charge.environment) * DAY_MS,
      );
      return {
        charge: authorized(charge, result, captureBefore),
        trigger: 'authorization_approved',
        booking: bookProcessorFee(result, operation.id, at),
      };
    }
    case 'unknown':
    case 'pending':
      return charge.status === 'pending' && charge.outcome?.type !== 'unknown'
        ? { charge: outcomeUnknown(charge) }
        : undefined;
    case 'declined':
    case 'action_required':
    case 'rejected':
    case 'not_sent':
      return { charge: failed(charge, toChargeFailure(result)), trigger: 'declined' };
  }
}

function capture(
  charge: Charge,
  amount: number,
  result: Extract<CallResult, { outcome: 'approved' }>,
  at: Date,
  rules: SettlementRules,
  trigger: ChargeTrigger,
): Transition {
  const { accountId, environment } = charge;
  const booking = bookCapture({
    ...{ owner: { accountId, environment }, chargeId: charge.id, amount },
    currency: charge.currency,
    fee: rules.fees(charge, amount),
    availableOn:
      result.availableOn === undefined
        ? new Date(at.getTime() + DEFAULT_DELAY_MS)
        : new Date(result.availableOn),
    at,
  });
  const { postings: kept = [] } = bookProcessorFee(result, charge.id, at);
  return {
    charge: approved(charge, result, {
      amountCaptured: amount,
      capturedAt: at,
      balanceTransactionId: booking.transaction.id,
    }),
    trigger,
    booking: { postings: [booking.posting, ...kept], balanceTransactions: [booking.transaction] },
  };
}

function buildEvents(
  charge: Charge,
  trigger: ChargeTrigger | undefined,
  operation: Operation,
  at: Date,
): Pick<PaymentChange, 'events'> {
  const type = trigger === undefined ? null : CHARGE_TRANSITIONS[trigger].event;
  if (type === null) return {};
  const { accountId, environment, version } = charge;
  return {
    events: [
      buildEvent({
        ...{ owner: { accountId, environment }, type, object: toChargeResource(charge) },
        ...{ objectVersion: version, at, source: 'api', requestId: operation.requestId },
      }),
    ],
  };
}

function idempotentResponse(
  operation: Operation,
  response: StoredResponse,
): Pick<PaymentChange, 'response'> {
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
