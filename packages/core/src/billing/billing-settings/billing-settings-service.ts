import { isDeepStrictEqual } from 'node:util';
import type { AreaStorage } from '../../changes/area-storage.ts';
import type { AuditFacts } from '../../changes/audit/audit.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import { applyIn } from '../../changes/commit.ts';
import { toStoredResponse } from '../../changes/idempotency/stored-response.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { AccountId } from '../../kernel/basics/id.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { missing } from '../../kernel/errors/missing.ts';
import type { BillingSettings } from './billing-settings.ts';
import type { BillingSettingsUpdate } from './billing-settings-input.ts';
import type {
  BillingSettingsReader,
  BillingSettingsRepository,
} from './billing-settings-repository.ts';
import { toBillingSettingsResource } from './billing-settings-resource.ts';

export interface BillingSettingsPorts {
  readonly storage: AreaStorage<
    { readonly billingSettings: BillingSettingsReader },
    {
      readonly billingSettings: BillingSettingsRepository;
      readonly changes: ChangeRepository<Change<Write<string, unknown>>>;
    }
  >;
  readonly clock: Clock;
}

/** How the subscriptions of accounts are billed. */
export class BillingSettingsService {
  readonly #ports: BillingSettingsPorts;

  constructor(ports: BillingSettingsPorts) {
    this.#ports = ports;
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(id: AccountId): Promise<BillingSettings> {
    const settings = await this.#ports.storage.read.billingSettings.find(id);
    if (settings === undefined) throw missing('account', id);
    return settings;
  }

  /**
   * Changes the settings of an account. Each step of a subscription reads them, so they hold from the next
   * one on. What is there already changes nothing, and writes no audit row.
   * @throws PaymountError `resource_missing`
   */
  async update(
    { audit, claim }: Pick<Call, 'audit' | 'claim'>,
    id: AccountId,
    input: BillingSettingsUpdate,
  ): Promise<BillingSettings> {
    const at = this.#ports.clock.now();
    return this.#ports.storage.transaction(async (rows) => {
      const before = await rows.billingSettings.findForUpdate(id);
      if (before === undefined) throw missing('account', id);
      const after: BillingSettings = {
        accountId: id,
        afterLastAttempt: input.after_last_attempt ?? before.afterLastAttempt,
        catchUp: input.catch_up ?? before.catchUp,
        cancelsOnDispute: input.cancel_on_dispute ?? before.cancelsOnDispute,
        chargesPerSecond: input.charges_per_second ?? before.chargesPerSecond,
      };
      const isChanged = !isDeepStrictEqual(before, after);
      if (isChanged) await rows.billingSettings.save(after);
      const response = toStoredResponse(toBillingSettingsResource(after));
      await applyIn(rows, {
        // An account has both environments; the change has no rows of either.
        accountId: id,
        environment: 'live',
        at,
        writes: [],
        ...(claim && { claim, response: { key: claim.key, response } }),
        ...(audit &&
          isChanged && {
            audit: {
              ...audit,
              accountId: id,
              action: 'billing_settings.update',
              target: id,
              created: at,
              before: toFacts(before),
              after: toFacts(after),
            },
          }),
      });
      return after;
    });
  }
}

function toFacts(settings: BillingSettings): AuditFacts {
  const { object: _, account: __, ...facts } = toBillingSettingsResource(settings);
  return facts;
}
