import type { Environment } from '../../kernel/basics/environment.ts';
import type { Fee } from '../../ledger/recipes.ts';
import type { Charge } from './charge.ts';

/** The fee that the operator keeps of a captured charge, in minor units. @defaultValue nothing */
export type FeeSchedule = (charge: Charge, amount: number) => Fee;

export interface SettlementRules {
  readonly fees: FeeSchedule;
  /** The fee that the operator takes for a chargeback of an amount, in minor units. */
  readonly disputeFees: FeeSchedule;
  /** How long an authorization is valid. */
  readonly authorizationDays: (environment: Environment) => number;
}
