import type { AccountId } from '../../kernel/basics/id.ts';
import type { BillingSettings } from './billing-settings.ts';

export interface BillingSettingsReader {
  /** @returns undefined for an unknown account */
  find(id: AccountId): Promise<BillingSettings | undefined>;
}

/** Bound to one transaction. */
export interface BillingSettingsRepository extends BillingSettingsReader {
  /** Locks the row of the account. */
  findForUpdate(id: AccountId): Promise<BillingSettings | undefined>;
  /** Writes the settings of an account that is locked. */
  save(settings: BillingSettings): Promise<void>;
}
