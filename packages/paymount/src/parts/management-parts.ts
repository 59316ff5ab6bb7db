import { ExpungeService } from '@paymount/core/expunging';
import { createDashboardApi } from '@paymount/dashboard';
import { createManagement } from '@paymount/management';
import { healthCheck } from './health-check.ts';
import type { Factories } from './parts.ts';
import { RunningWorkers } from './running-workers.ts';

/** The parts of the management API, the dashboard and health. */
export const MANAGEMENT_PARTS = {
  workers: () => new RunningWorkers(),
  checkHealth: (get) =>
    healthCheck({
      options: get('options'),
      stores: get('stores'),
      ring: get('ring'),
      sealer: get('sealer'),
      wakeUps: get('wakeUps'),
      workers: get('workers'),
      clock: get('clock'),
      invoiceSettings: get('invoiceSettings'),
    }),
  management: (get) => {
    const { directory, storage, usage } = get('stores');
    const management = createManagement({
      accounts: get('accounts'),
      keys: get('keys'),
      keyViews: get('keyViews'),
      platforms: get('platforms'),
      grants: get('grants'),
      usage,
      endpoints: get('services').endpoints,
      deliveries: get('services').deliveries,
      eventReplays: get('services').eventReplays,
      replays: get('services').replays,
      expunges: new ExpungeService({ storage, clock: get('clock') }),
      operations: get('operations'),
      notices: get('notices'),
      disputes: get('services').disputes,
      payoutSettings: get('services').payoutSettings,
      subscriptions: get('services').subscriptions,
      invoices: get('services').invoices,
      invoiceActions: get('services').invoiceActions,
      billingSettings: get('services').billingSettings,
      bankAccounts: get('services').bankAccounts,
      adjustments: get('services').adjustments,
      settlements: get('services').settlements,
      testClocks: get('services').testClocks,
      leaks: get('leaks'),
      directory,
      checkHealth: get('checkHealth'),
      readMetrics: async () => (await get('telemetry').read()).text,
      resolver: get('resolver'),
      idempotency: storage.idempotency,
      sealer: get('sealer'),
      clock: get('clock'),
      fingerprintKey: get('fingerprintKey'),
    });
    const hook = get('hookAnnouncement');
    return { ...management, handle: (context) => hook.before(() => management.handle(context)) };
  },
  dashboard: (get) => {
    const { directory, storage } = get('stores');
    const dashboard = createDashboardApi({
      managed: get('management').routes,
      api: get('api').routes,
      endpoints: directory.endpoints,
      endpointSecrets: directory.endpointSecrets,
      bankAccounts: get('services').bankAccounts,
      destinations: directory.bankAccounts,
      changes: storage.changes,
      resolver: get('resolver'),
      idempotency: storage.idempotency,
      sealer: get('sealer'),
      clock: get('clock'),
      fingerprintKey: get('fingerprintKey'),
    });
    const hook = get('hookAnnouncement');
    return { ...dashboard, handle: (context) => hook.before(() => dashboard.handle(context)) };
  },
} satisfies Partial<Factories>;
