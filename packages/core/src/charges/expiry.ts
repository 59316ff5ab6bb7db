import { applyIn } from '../changes/commit.ts';
import type { Storage } from '../changes/storage.ts';
import { eventOf } from '../events/event-resource.ts';
import type { Clock } from '../shared/clock.ts';
import { failed } from './charge.ts';
import { toChargeResource } from './charge-resource.ts';
import { CHARGE_TRANSITIONS } from './charge-states.ts';

const BATCH = 100;

/**
 * Fails authorizations that were not captured in time (payments.md, section 3).
 * @returns how many expired
 */
export async function expireAuthorizations(ports: {
  readonly storage: Storage;
  readonly clock: Clock;
}): Promise<number> {
  const { storage, clock } = ports;
  const at = clock.now();
  const due = await storage.transaction((repositories) =>
    repositories.charges.findExpiredAuthorizations(at, BATCH),
  );
  let expired = 0;
  for (const { id, accountId, environment } of due) {
    const owner = { accountId, environment };
    expired += await storage.transaction(async (repositories) => {
      const charge = await repositories.charges.findForUpdate(owner, id);
      if (charge?.status !== CHARGE_TRANSITIONS.authorization_expired.from) return 0;
      // A capture that was sent in time decides; the charge expires once it is settled.
      if (await repositories.operations.findUnresolvedOnCharge(owner, id)) return 0;
      const row = failed(charge, {
        code: 'charge_expired_for_capture',
        message: 'The authorization expired before it was captured.',
      });
      const event = eventOf({
        owner,
        type: 'charge.failed',
        object: toChargeResource(row),
        objectVersion: row.version,
        at,
        source: 'scheduler',
      });
      await applyIn(repositories, {
        ...owner,
        at,
        writes: [{ kind: 'charge', mode: 'update', row }],
        events: [event],
        settled: { kind: 'charge', charge: row },
      });
      return 1;
    });
  }
  return expired;
}
