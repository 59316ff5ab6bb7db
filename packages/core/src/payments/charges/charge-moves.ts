import type { LedgerFacts } from '../../ledger/ledger.ts';
import { bookCapture, bookProcessorFee } from '../../ledger/recipes.ts';
import type { Operation } from '../operations/operation.ts';
import type { CallResult } from '../operations/outcome.ts';
import type { MethodBlock } from '../payment-methods/payment-method.ts';
import { toBlock, toDebitRefusal } from './bank-returns.ts';
import {
  approved,
  authorized,
  awaitsClearing,
  type Charge,
  canceled,
  failed,
  outcomeUnknown,
  submitted,
} from './charge.ts';
import { type Refusal, toChargeFailure } from './charge-failure.ts';
import type { ChargeTrigger } from './charge-states.ts';
import { feeOf, type PaymentRules } from './payment-rules.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** If neither processor nor account sets a time, funds are available after two days. */
const DEFAULT_DELAY_MS = 2 * DAY_MS;

/** A charge after a transition, and what it books. */
export interface ChargeMove {
  readonly charge: Charge;
  /** Absent if only facts changed, not the status. */
  readonly trigger?: ChargeTrigger;
  readonly booking?: LedgerFacts;
  /** Why its bank account is not debited any more. */
  readonly blocks?: MethodBlock;
}

/** The facts that a result is decided by. */
interface Decided<Result extends CallResult = CallResult> {
  readonly charge: Charge;
  readonly operation: Operation;
  readonly result: Result;
  readonly at: Date;
  readonly rules: PaymentRules;
}
type Approval = Extract<CallResult, { outcome: 'approved' }>;

/**
 * The transitions of a charge by a result, in order; the charge of the last one is stored. Mostly one,
 * or none if nothing changes.
 */
export function decideMoves(
  charge: Charge,
  operation: Operation,
  result: CallResult,
  at: Date,
  rules: PaymentRules,
): readonly ChargeMove[] {
  const decided = { charge, operation, result, at, rules };
  switch (operation.kind) {
    case 'authorize':
      return charge.method.type === 'card' ? decideCard(decided) : decideDebit(decided);
    case 'capture':
      return result.outcome === 'approved' ? [capture({ ...decided, result }, 'capture')] : [];
    case 'cancel': {
      if (result.outcome !== 'approved') return [];
      const booking = bookProcessorFee(result, charge.id, at);
      return [{ charge: canceled(charge, at), trigger: 'cancel', booking }];
    }
    case 'refund':
    case 'payout':
    case 'submit_evidence':
    case 'accept_dispute':
      return [];
  }
}

function decideCard(decided: Decided): readonly ChargeMove[] {
  const { charge, operation, result, at, rules } = decided;
  switch (result.outcome) {
    case 'approved': {
      if (charge.captureMethod === 'automatic') {
        return [capture({ ...decided, result }, 'sale_approved')];
      }
      const captureBefore = new Date(
        at.getTime() + rules.authorizationDays(charge.environment) * DAY_MS,
      );
      return [
        {
          charge: authorized(charge, result, captureBefore),
          trigger: 'authorization_approved',
          booking: bookProcessorFee(result, operation.id, at),
        },
      ];
    }
    case 'unknown':
    case 'pending':
      return unknown(charge);
    case 'declined':
    case 'action_required':
    case 'rejected':
    case 'not_sent':
      return [{ charge: failed(charge, toChargeFailure(result)), trigger: 'declined' }];
  }
}

/**
 * A bank debit is submitted first, and cleared or returned days later. A result that says only
 * the end is two moves, because the debit was submitted.
 */
function decideDebit(decided: Decided): readonly ChargeMove[] {
  const { charge, result } = decided;
  switch (result.outcome) {
    case 'pending':
      return submission(charge, result);
    case 'unknown':
      return awaitsClearing(charge) ? [] : unknown(charge);
    case 'approved':
      return [...submission(charge, result), capture({ ...decided, result }, 'debit_cleared')];
    case 'declined':
    case 'action_required':
    case 'rejected':
    case 'not_sent':
      return refuseDebit(charge, result);
  }
}

function refuseDebit(charge: Charge, result: Refusal): readonly ChargeMove[] {
  const failure = toChargeFailure(result);
  const refusal = toDebitRefusal({
    ...failure,
    ...(result.outcome === 'declined' ? { returnCode: result.declineCode } : {}),
  });
  const { code, message, returnCode } = refusal;
  const blocks = toBlock(refusal);
  const last: ChargeMove = {
    charge: failed(charge, { ...failure, code, message }),
    trigger: 'debit_refused',
    ...(blocks === undefined ? {} : { blocks }),
  };
  // A bank returns only what was submitted.
  return returnCode === undefined ? [last] : [...submission(charge, {}), last];
}

/** The first time that a debit is known to be submitted; after that nothing. */
function submission(
  charge: Charge,
  accepted: Parameters<typeof submitted>[1],
): readonly ChargeMove[] {
  if (awaitsClearing(charge)) return [];
  return [{ charge: submitted(charge, accepted), trigger: 'debit_submitted' }];
}

function unknown(charge: Charge): readonly ChargeMove[] {
  const isNews = charge.status === 'pending' && charge.outcome?.type !== 'unknown';
  return isNews ? [{ charge: outcomeUnknown(charge) }] : [];
}

function capture(
  { charge, operation, result, at, rules }: Decided<Approval>,
  trigger: ChargeTrigger,
): ChargeMove {
  const { accountId, environment } = charge;
  const { amount } = operation;
  const booking = bookCapture({
    owner: { accountId, environment },
    type: charge.method.type === 'card' ? 'charge' : 'payment',
    chargeId: charge.id,
    amount,
    currency: charge.currency,
    fee: feeOf('fees', rules.fees, charge, amount),
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
    booking: {
      postings: [booking.posting, ...kept],
      balanceTransactions: [booking.transaction],
    },
  };
}
