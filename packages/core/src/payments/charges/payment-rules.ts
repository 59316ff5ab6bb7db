import { HookError } from '../../changes/change.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { Fee } from '../../ledger/recipes.ts';
import type { Charge } from './charge.ts';

/** The fee that the operator keeps of a captured charge, in minor units. @defaultValue nothing */
export type FeeSchedule = (charge: Charge, amount: number) => Fee;

/** What the host decides about charges: their fees, and how long an authorization is valid. */
export interface PaymentRules {
  readonly fees: FeeSchedule;
  /** The fee that the operator takes for a chargeback of an amount, in minor units. */
  readonly disputeFees: FeeSchedule;
  /** How long an authorization is valid. */
  readonly authorizationDays: (environment: Environment) => number;
}

/** The bound of any amount: the fee of a small dispute may exceed its amount. */
const MAX_DISPUTE_FEE = 99_999_999;

/**
 * The fee of the operator for a charge or chargeback.
 * @param amount what was captured or charged back, in minor units
 * @throws HookError if the host's function throws or returns an invalid fee: the result then waits, as
 *   for its hook
 */
export function feeOf(
  option: 'fees' | 'disputeFees',
  schedule: FeeSchedule,
  charge: Charge,
  amount: number,
): Fee {
  try {
    return validFee(schedule(charge, amount), option === 'fees' ? amount : MAX_DISPUTE_FEE);
  } catch (error) {
    const cause = new Error(`the option \`${option}\` returned no fee`, { cause: error });
    throw new HookError(cause.message, { cause });
  }
}

function validFee(fee: Fee, most: number): Fee {
  const { amount, details } = fee;
  const parts = details.reduce((sum, detail) => sum + detail.amount, 0);
  if (Number.isInteger(amount) && amount >= 0 && amount <= most && parts === amount) return fee;
  throw new RangeError(
    `a fee of ${amount} with details of ${parts}; it must be an integer from 0 to ${most}, and the sum of its details`,
  );
}
