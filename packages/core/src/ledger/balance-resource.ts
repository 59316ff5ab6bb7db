import { z } from 'zod';
import { type Environment, livemode } from '../kernel/basics/environment.ts';
import { TimestampResource } from '../kernel/basics/resource.ts';
import { ADJUSTMENT_KINDS } from './adjustment-recipes.ts';
import { DISPUTE_KINDS, DISPUTE_WON_KINDS } from './dispute-kinds.ts';
import type { BalanceTransaction, BalanceTransactionType, BalanceWithSources } from './ledger.ts';

const SHOWN_TYPES = [
  'charge',
  'payment',
  'refund',
  'refund_failure',
  'payout',
  'payout_failure',
  'payout_cancel',
  'adjustment',
] as const;

const FundsResource = z
  .strictObject({
    amount: z.int(),
    currency: z.string(),
    source_types: z.strictObject({ card: z.int(), bank_account: z.int() }).meta({
      description:
        'Where the money comes from. Money that is available is one pool, all of it under `card`.',
    }),
  })
  .meta({ id: 'Funds' });

export const BalanceResource = z
  .strictObject({
    object: z.literal('balance'),
    livemode: z.boolean(),
    available: z.array(FundsResource),
    pending: z.array(FundsResource),
    reserved: z.array(FundsResource),
  })
  .meta({ id: 'Balance' });

export const BalanceTransactionResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('balance_transaction'),
    livemode: z.boolean(),
    created: TimestampResource,
    amount: z.int(),
    fee: z.int(),
    net: z.int(),
    fee_details: z.array(
      z.strictObject({
        amount: z.int(),
        currency: z.string(),
        type: z.string(),
        description: z.string(),
      }),
    ),
    currency: z.string(),
    type: z.enum(SHOWN_TYPES).meta({
      description:
        '`charge`: of a card. `payment`: of a bank debit. `adjustment`: a dispute took the amount or ' +
        'gave it back, or the operator reserved, released or wrote it off.',
    }),
    source: z
      .string()
      .meta({ description: 'Expandable.', expandsTo: ['Charge', 'Refund', 'Payout', 'Dispute'] }),
    status: z.enum(['pending', 'available']),
    available_on: TimestampResource,
  })
  .meta({ id: 'BalanceTransaction' });

export function toBalanceResource(
  environment: Environment,
  balances: readonly BalanceWithSources[],
): z.output<typeof BalanceResource> {
  const funds = (pool: 'available' | 'pending' | 'reserved') =>
    balances.map((balance) => {
      const amount = toInteger(balance[pool]);
      const ofBanks = pool === 'pending' ? toInteger(balance.pendingOfBanks) : 0;
      return {
        amount,
        currency: balance.currency,
        source_types: { card: amount - ofBanks, bank_account: ofBanks },
      };
    });
  return {
    object: 'balance',
    livemode: livemode(environment),
    available: funds('available'),
    pending: funds('pending'),
    reserved: funds('reserved'),
  };
}

export function toBalanceTransactionResource(
  transaction: BalanceTransaction,
): z.output<typeof BalanceTransactionResource> {
  const { currency } = transaction;
  return {
    id: transaction.id,
    object: 'balance_transaction',
    livemode: livemode(transaction.environment),
    created: transaction.created.toISOString(),
    amount: toInteger(transaction.amount),
    fee: toInteger(transaction.fee),
    net: toInteger(transaction.amount - transaction.fee),
    fee_details: transaction.feeDetails.map((detail) => ({ ...detail, currency })),
    currency,
    type: toType(transaction.type),
    source: transaction.sourceId,
    status: transaction.status,
    available_on: transaction.availableOn.toISOString(),
  };
}

type ShownType = z.output<typeof BalanceTransactionResource>['type'];

function toType(type: BalanceTransactionType): ShownType {
  return isAdjustment(type) ? 'adjustment' : type;
}

const ADJUSTMENTS = [...DISPUTE_KINDS, ...DISPUTE_WON_KINDS, ...ADJUSTMENT_KINDS] as const;

function isAdjustment(type: BalanceTransactionType): type is (typeof ADJUSTMENTS)[number] {
  return ADJUSTMENTS.some((each) => each === type);
}

/** The types that are shown as one. */
export function balanceTransactionTypes(shown: ShownType): readonly BalanceTransactionType[] {
  return shown === 'adjustment' ? ADJUSTMENTS : [shown];
}

/** JSON numbers are exact up to 2^53; a balance beyond it must not be shown rounded. */
function toInteger(amount: bigint): number {
  const shown = Number(amount);
  if (!Number.isSafeInteger(shown)) throw new RangeError('An amount exceeds what JSON can show.');
  return shown;
}
