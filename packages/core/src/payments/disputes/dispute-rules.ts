import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Charge } from '../charges/charge.ts';
import type { Processor, ProcessorDisputes } from '../processor/processor.ts';
import { answerDueBy, type Dispute, isDebited, isOpenChargeback } from './dispute.ts';

/**
 * Checks whether a dispute takes evidence.
 * @throws PaymountError `dispute_already_closed`, `dispute_not_contestable`,
 *   `status_transition_invalid`
 */
export function assertAnswerable(dispute: Dispute, now: Date): void {
  assertOpen(dispute, now);
  if (dispute.status === 'under_review') {
    throw new PaymountError(
      'status_transition_invalid',
      `The evidence of dispute ${dispute.id} was submitted; the issuer decides.`,
    );
  }
}

/**
 * Checks whether a dispute may be accepted.
 * @throws PaymountError as `assertAnswerable`
 */
export function assertAcceptable(dispute: Dispute, now: Date): void {
  assertAnswerable(dispute, now);
  if (dispute.status === 'warning_needs_response') {
    throw new PaymountError(
      'status_transition_invalid',
      `Dispute ${dispute.id} is an alert, which takes no money; refund its charge to avoid the chargeback.`,
    );
  }
}

function assertOpen(dispute: Dispute, now: Date): void {
  const { id, status, dueBy } = dispute;
  if (dispute.status === 'lost' && dispute.closedReason === 'not_contestable') {
    throw new PaymountError('dispute_not_contestable');
  }
  if (isOpenChargeback(dispute) || status === 'warning_needs_response') {
    if (status === 'under_review' || dueBy.getTime() > now.getTime()) return;
    const message = `Dispute ${id} took evidence until ${dueBy.toISOString()}.`;
    throw new PaymountError('dispute_already_closed', message);
  }
  throw new PaymountError('dispute_already_closed', `Dispute ${id} is ${status}.`);
}

/** Whether the adapter of a dispute is configured, and answers disputes. */
export function takesAnswers(
  { name, disputes }: Pick<Processor, 'name' | 'disputes'>,
  { processorName }: Dispute,
): boolean {
  return name === processorName && disputes !== undefined;
}

/**
 * The part of the adapter that answers disputes.
 * @throws PaymountError `operation_not_supported` if it has none, or if the dispute is of a processor
 *   that is no longer configured
 */
export function requireDisputes(processor: Processor, dispute: Dispute): ProcessorDisputes {
  if (processor.name !== dispute.processorName) {
    throw new PaymountError(
      'operation_not_supported',
      `Dispute ${dispute.id} is of the processor ${dispute.processorName}, which is not configured.`,
    );
  }
  if (processor.disputes === undefined) {
    throw new PaymountError(
      'operation_not_supported',
      `The processor ${processor.name} takes no answers to disputes here; answer at the processor.`,
    );
  }
  return processor.disputes;
}

/**
 * How much of a charge its chargebacks have taken, in minor units: a refund of it would give the
 * money twice.
 * @throws PaymountError `charge_disputed` while one is not decided
 */
export function disputedAmount(disputes: readonly Dispute[]): number {
  if (disputes.some(isOpenChargeback)) {
    throw new PaymountError('charge_disputed', undefined, { param: 'charge' });
  }
  return sumDebited(disputes);
}

/** Until when the network takes an answer to a chargeback that is opened now, unless the processor says. */
export function dueByOf({ method }: Charge, now: Date): Date {
  return answerDueBy(method.type === 'card' ? method.card.brand : 'bank', now);
}

/** What chargebacks may still take of a charge, in minor units. @param others those that took before */
export function roomFor(charge: Charge, others: readonly Dispute[]): number {
  return charge.status === 'succeeded' ? charge.amountCaptured - sumDebited(others) : 0;
}

/** What chargebacks have taken and not given back, in minor units. */
function sumDebited(disputes: readonly Dispute[]): number {
  return disputes.filter(isDebited).reduce((sum, { amount }) => sum + amount, 0);
}
