import type { Owner } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import type { LedgerFacts } from '../../ledger/ledger.ts';
import { bookRefund } from '../../ledger/recipes.ts';
import { type Charge, refundedBy } from '../charges/charge.ts';
import { assertCanAct } from '../charges/charge-creation.ts';
import type { Processor } from '../processor/processor.ts';
import { timeOf } from '../test-clocks/object-clock.ts';
import type { Refund } from './refund.ts';
import type { RefundCreate } from './refund-input.ts';
import type { RefundContext } from './refund-result.ts';
import type { RefundRepositories } from './refund-storage.ts';

/** The arguments of a refund. */
export interface RefundRequest {
  readonly kind: 'refund' | 'cancel';
  readonly amount: number;
}

/**
 * Checks whether a charge, its row locked, may be refunded with these arguments.
 * @param context `disputed`: what chargebacks have taken of it, in minor units
 * @throws PaymountError as `RefundService.create` lists
 */
export function requireRefundable(
  charge: Charge,
  input: RefundCreate,
  { processor, disputed }: { readonly processor: Processor; readonly disputed: number },
): RefundRequest {
  switch (charge.status) {
    case 'pending':
      throw new PaymountError('charge_pending', undefined, { param: 'charge' });
    case 'failed':
    case 'canceled':
      throw new PaymountError(
        'charge_not_refundable',
        `Charge ${charge.id} is ${charge.status}; there is nothing to refund.`,
        { param: 'charge' },
      );
    case 'authorized': {
      assertCanAct(processor, charge, 'cancel');
      const amount = input.amount ?? charge.amount;
      if (amount > charge.amount) throw exceeds(charge, amount, charge.amount);
      if (amount < charge.amount || charge.amountRefunded > 0) {
        throw new PaymountError('charge_not_captured', undefined, { param: 'amount' });
      }
      return { kind: 'cancel', amount };
    }
    case 'succeeded': {
      assertCanAct(processor, charge, 'refund');
      const rest = charge.amountCaptured - charge.amountRefunded - disputed;
      if (rest <= 0 && disputed > 0) {
        throw new PaymountError('charge_disputed', undefined, { param: 'charge' });
      }
      if (rest === 0) {
        throw new PaymountError('charge_already_refunded', undefined, { param: 'charge' });
      }
      const amount = input.amount ?? rest;
      if (amount > rest) throw exceeds(charge, amount, rest);
      return { kind: 'refund', amount };
    }
  }
}

/**
 * The accepted refund, its ledger rows and the changed charge. Locks the balance last.
 * @throws PaymountError `balance_insufficient`
 */
export async function newRefund(
  repositories: Pick<RefundRepositories, 'ledger'>,
  intent: {
    readonly owner: Owner;
    readonly charge: Charge;
    readonly input: RefundCreate;
    readonly asked: RefundRequest;
    readonly at: Date;
    readonly refundOverdraft: number;
    readonly createdBy: Maker;
  },
): Promise<{
  readonly context: RefundContext;
  readonly booked: LedgerFacts;
}> {
  const { owner, charge, input, asked } = intent;
  const at = timeOf(charge, intent.at);
  const refund: Refund = {
    ...owner,
    id: newId('re'),
    version: 1,
    status: 'pending',
    chargeId: charge.id,
    amount: asked.amount,
    currency: charge.currency,
    reason: input.reason ?? null,
    balanceTransactionId: null,
    metadata: mergeMetadata({}, input.metadata),
    created: at,
    createdBy: intent.createdBy,
    ...(charge.clock && { testClockId: charge.clock.id }),
  };
  if (charge.status !== 'succeeded') {
    return { context: { refund, charge: refundedBy(charge, 0) }, booked: {} };
  }
  const funds = await repositories.ledger.findTransaction(owner, charge.balanceTransactionId);
  if (funds === undefined) throw new Error(`Charge ${charge.id} has no balance transaction.`);
  const balance = await repositories.ledger.lockBalance(owner, charge.currency);
  const cover = balance.available + balance.pending + BigInt(intent.refundOverdraft);
  if (cover < BigInt(asked.amount)) {
    throw new PaymountError(
      'balance_insufficient',
      `The balance covers only ${describeMoney(cover < 0n ? 0n : cover, charge.currency)} ` +
        `of the refund of ${describeMoney(asked.amount, charge.currency)}.`,
    );
  }
  const booking = bookRefund({
    owner,
    refundId: refund.id,
    amount: asked.amount,
    currency: charge.currency,
    pool: funds.status,
    availableOn: funds.status === 'pending' ? funds.availableOn : at,
    at,
  });
  return {
    context: {
      refund: { ...refund, balanceTransactionId: booking.transaction.id },
      charge: refundedBy(charge, asked.amount),
      transaction: booking.transaction,
    },
    booked: { postings: [booking.posting], balanceTransactions: [booking.transaction] },
  };
}

function exceeds(charge: Charge, amount: number, rest: number): PaymountError {
  return new PaymountError(
    'refund_amount_exceeds_charge',
    `Charge ${charge.id} has ${describeMoney(rest, charge.currency)} left to refund; ` +
      `the request was for ${describeMoney(amount, charge.currency)}.`,
    { param: 'amount' },
  );
}

/**
 * Refuses while a capture or cancel is in progress, because its result decides the kind of refund.
 * @throws PaymountError `operation_in_progress`, `operation_under_review`
 */
export async function assertNotBusy(
  repositories: Pick<RefundRepositories, 'operations'>,
  charge: Charge,
): Promise<void> {
  const busy = await repositories.operations.findUnresolvedOnRoot(charge, charge.id);
  if (busy?.state === 'quarantined') throw new PaymountError('operation_under_review');
  if (busy !== undefined && busy.kind !== 'authorize') {
    throw new PaymountError('operation_in_progress');
  }
}
