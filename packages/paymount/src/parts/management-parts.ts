import { DeliveryService, ReplayService } from '@paymount/core/events';
import { createManagement } from '@paymount/management';
import { healthCheck } from './health-check.ts';
import type { Factories } from './parts.ts';

/** The parts of the management API. */
export const MANAGEMENT_PARTS = {
  management: (get) => {
    const { directory, storage, usage } = get('stores');
    const management = createManagement({
      accounts: get('accounts'),
      keys: get('keys'),
      keyViews: get('keyViews'),
      usage,
      endpoints: get('services').endpoints,
      deliveries: new DeliveryService({
        storage,
        directory: directory.deliveries,
        clock: get('clock'),
      }),
      eventReplays: get('services').eventReplays,
      replays: new ReplayService({ storage, clock: get('clock') }),
      operations: get('operations'),
      leaks: get('leaks'),
      directory,
      checkHealth: healthCheck({
        options: get('options'),
        stores: get('stores'),
        ring: get('ring'),
        sealer: get('sealer'),
        wakeUps: get('wakeUps'),
        clock: get('clock'),
      }),
      resolver: get('resolver'),
      idempotency: storage.idempotency,
      sealer: get('sealer'),
      clock: get('clock'),
      fingerprintKey: get('fingerprintKey'),
    });
    const hook = get('hookAnnouncement');
    return { ...management, handle: (context) => hook.before(() => management.handle(context)) };
  },
} satisfies Partial<Factories>;
