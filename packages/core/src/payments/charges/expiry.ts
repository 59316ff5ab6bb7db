import type { LockWaits } from '../../changes/area-storage.ts';
import { HookError } from '../../changes/change.ts';
import { applyIn } from '../../changes/commit.ts';
import { buildEvent } from '../../changes/events/event-resource.ts';
import type { HookLog } from '../../changes/hook-log.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import type { LockedAccounts } from '../operations/locked-accounts.ts';
import { clockField, timeOf } from '../test-clocks/object-clock.ts';
import { type AuthorizedCharge, type Charge, failed } from './charge.ts';
import { toChargeResource } from './charge-resource.ts';
import { CHARGE_TRANSITIONS } from './charge-states.ts';
import type { ChargeStorage } from './charge-storage.ts';

const PAGE = 100;

interface ExpiryPorts {
  readonly storage: Pick<ChargeStorage, 'transaction'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Kept between passes, as the next one is. */
  readonly hookLog: HookLog;
  readonly locked: LockedAccounts;
  /** Ends the pass early. */
  readonly isClosing: () => boolean;
}

/**
 * Fails authorizations that were not captured in time: all of them, page by page, each once.
 * Authorizations that cannot expire yet, or whose account is locked, are skipped and do not delay others.
 * @returns how many expired
 */
export async function expireAuthorizations(ports: ExpiryPorts): Promise<number> {
  const { storage, clock, locked, isClosing } = ports;
  const at = clock.now();
  let expired = 0;
  let page: readonly AuthorizedCharge[] = [];
  do {
    const after = page.at(-1);
    page = await storage.transaction(({ charges }) =>
      charges.findExpiredAuthorizations(at, PAGE, after),
    );
    for (const charge of page) {
      if (isClosing()) return expired;
      if (locked.has(charge.accountId)) continue;
      if (await expireOrLog(ports, charge, at)) expired += 1;
    }
  } while (page.length === PAGE);
  return expired;
}

async function expireOrLog(
  { storage, locked, hookLog, logger }: ExpiryPorts,
  charge: Charge,
  at: Date,
): Promise<boolean> {
  try {
    return await expireAuthorization(storage, charge, at, { areBrief: true });
  } catch (error) {
    if (locked.note(charge.accountId, error)) return false;
    // A charge that the host's hook refuses must not delay the others.
    if (HookError.is(error)) {
      const consequence = 'It expires later.';
      hookLog.report(error, { id: charge.id, object: charge.id, consequence });
    } else {
      logger.error(
        { charge: charge.id, err: isError(error) ? error : undefined },
        'An authorization could not expire; Paymount tries again.',
      );
    }
    return false;
  }
}

/**
 * Fails an authorization whose time has passed, unless something else has changed it.
 * @returns whether it did
 */
export function expireAuthorization(
  storage: Pick<ChargeStorage, 'transaction'>,
  { id, ...known }: Pick<Charge, 'id' | 'accountId' | 'environment'>,
  at: Date,
  waits?: LockWaits,
): Promise<boolean> {
  const owner = { accountId: known.accountId, environment: known.environment };
  return storage.transaction(async (repositories) => {
    const charge = await repositories.charges.findForUpdate(owner, id);
    if (charge?.status !== CHARGE_TRANSITIONS.authorization_expired.from) return false;
    // A capture that was sent in time decides; the charge expires when the capture has its result.
    if (await repositories.operations.findUnresolvedOnRoot(owner, id)) return false;
    const row = failed(charge, {
      code: 'charge_expired_for_capture',
      message: 'The authorization expired before it was captured.',
    });
    const event = buildEvent({
      owner,
      type: 'charge.failed',
      object: toChargeResource(row),
      objectVersion: row.version,
      at: timeOf(charge, at),
      source: 'scheduler',
      testClockId: charge.clock?.id,
    });
    await applyIn(repositories, {
      ...owner,
      at,
      ...clockField(charge),
      writes: [{ kind: 'charge', mode: 'update', row }],
      events: [event],
      settled: { kind: 'charge', charge: row },
    });
    return true;
  }, waits);
}
