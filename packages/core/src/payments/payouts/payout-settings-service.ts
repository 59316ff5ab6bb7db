import { isDeepStrictEqual } from 'node:util';
import type { AuditFacts } from '../../changes/audit/audit.ts';
import { applyIn } from '../../changes/commit.ts';
import { toStoredResponse } from '../../changes/idempotency/stored-response.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { AccountId } from '../../kernel/basics/id.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { endHold } from '../bank-accounts/end-hold.ts';
import { heldUntil } from '../bank-accounts/held-destination.ts';
import type { PayoutAccount } from './payout-account.ts';
import { toPayoutScheduleResource } from './payout-account-resource.ts';
import type { PayoutSchedule } from './payout-schedule.ts';
import type { PayoutScheduleInput, PayoutSettingsUpdate } from './payout-settings-input.ts';
import { type PayoutSettings, toPayoutSettingsResource } from './payout-settings-resource.ts';
import type { PayoutRepositories, PayoutStorage } from './payout-storage.ts';

const DEFAULT_DELAY_DAYS = 2;

export interface PayoutSettingsPorts {
  readonly storage: PayoutStorage;
  readonly clock: Clock;
}

/** How accounts are paid out, for admins. */
export class PayoutSettingsService {
  readonly #ports: PayoutSettingsPorts;

  constructor(ports: PayoutSettingsPorts) {
    this.#ports = ports;
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(id: AccountId): Promise<PayoutSettings> {
    const { payoutAccounts, payoutRuns } = this.#ports.storage.read;
    const account = await payoutAccounts.find(id);
    if (account === undefined) throw missing('account', id);
    return { account, runs: await payoutRuns.listOf(id), at: this.#ports.clock.now() };
  }

  /**
   * Changes the settings of an account. A new schedule counts from now: its first payout is at its
   * next due moment. Without holds, what is held is sent at once. What is there already changes
   * nothing, and writes no audit row.
   * @throws PaymountError `resource_missing`, `parameter_missing`, `parameters_exclusive`
   */
  async update(
    { audit, claim }: Pick<Call, 'audit' | 'claim'>,
    id: AccountId,
    input: PayoutSettingsUpdate,
  ): Promise<PayoutSettings> {
    const at = this.#ports.clock.now();
    const asked = input.schedule && toSchedule(input.schedule, at);
    return this.#ports.storage.transaction(async (rows) => {
      const before = await rows.payoutAccounts.findForUpdate(id);
      if (before === undefined) throw missing('account', id);
      const after: PayoutAccount = {
        ...before,
        payoutsEnabled: input.payouts_enabled ?? before.payoutsEnabled,
        holdsDestinations: input.hold_new_destinations ?? before.holdsDestinations,
        schedule: asked && !isSame(asked, before.schedule) ? asked : before.schedule,
      };
      const facts = { before: toFacts(before), after: toFacts(after) };
      const isChanged = !isDeepStrictEqual(facts.before, facts.after);
      if (isChanged) {
        await rows.payoutAccounts.save(after);
        await rows.payoutRuns.wake(id, at);
      }
      if (before.holdsDestinations && !after.holdsDestinations) {
        await endHolds(rows, id, { at, by: audit });
      }
      const settings = { account: after, runs: await rows.payoutRuns.listOf(id), at };
      const response = toStoredResponse(toPayoutSettingsResource(settings));
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
              action: 'payout_settings.update',
              target: id,
              created: at,
              ...facts,
            },
          }),
      });
      return settings;
    });
  }
}

/** A payout that is accepted meanwhile waits for the bank accounts, and then sees the new setting. */
async function endHolds(
  rows: PayoutRepositories,
  accountId: AccountId,
  { at, by }: { readonly at: Date; readonly by: AuditContext | undefined },
): Promise<void> {
  for (const account of await rows.bankAccounts.lockAll({ accountId, environment: 'live' })) {
    // The time of a hold that has ended stays, and is nobody's deed.
    const isHeld = heldUntil(account, undefined, at) !== undefined;
    if (isHeld) await endHold(rows, account, { at, by });
  }
}

function toFacts({ payoutsEnabled, holdsDestinations, schedule }: PayoutAccount): AuditFacts {
  return {
    payouts_enabled: payoutsEnabled,
    hold_new_destinations: holdsDestinations,
    schedule: toPayoutScheduleResource(schedule),
  };
}

/** The same but for the time since when it holds. */
function isSame(one: PayoutSchedule, other: PayoutSchedule): boolean {
  return isDeepStrictEqual(toPayoutScheduleResource(one), toPayoutScheduleResource(other));
}

function toSchedule(input: PayoutScheduleInput, since: Date): PayoutSchedule {
  const { interval, weekly_anchor: weeklyAnchor, monthly_anchor: monthlyAnchor } = input;
  const delayDays = input.delay_days ?? DEFAULT_DELAY_DAYS;
  assertOnlyFor(interval, 'weekly', { name: 'weekly_anchor', value: weeklyAnchor });
  assertOnlyFor(interval, 'monthly', { name: 'monthly_anchor', value: monthlyAnchor });
  if (weeklyAnchor !== undefined) return { delayDays, interval: 'weekly', weeklyAnchor, since };
  if (monthlyAnchor !== undefined) return { delayDays, interval: 'monthly', monthlyAnchor, since };
  return interval === 'manual' ? { delayDays, interval } : { delayDays, interval: 'daily', since };
}

function assertOnlyFor(
  interval: string,
  wanted: 'weekly' | 'monthly',
  { name, value }: { readonly name: string; readonly value: unknown },
): void {
  if ((interval === wanted) === (value !== undefined)) return;
  const param = `schedule[${name}]`;
  throw value === undefined
    ? new PaymountError('parameter_missing', `A ${wanted} schedule needs ${param}.`, { param })
    : new PaymountError(
        'parameters_exclusive',
        `${param} belongs to a ${wanted} schedule; this one is ${interval}.`,
        { param },
      );
}
