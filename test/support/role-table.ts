const READS = [
  'accounts',
  'keys',
  'platforms',
  'grants',
  'endpoints',
  'deliveries',
  'operations',
  'notices',
  'payouts',
  'settlements',
  'test_clocks',
  'leaks',
  'health',
  'billing',
].map((what) => `${what}.read`);
const SUPPORT = [...READS, 'deliveries.replay'];
const DEVELOPER = [
  ...SUPPORT,
  'keys.write',
  'keys.revoke',
  'platforms.write',
  'endpoints.write',
  'billing.write',
];
const SECURITY = [
  ...READS,
  'audit.read',
  'keys.revoke',
  'grants.revoke',
  'accounts.suspend',
  'leaks.write',
];
const ADMIN = [
  ...new Set([...DEVELOPER, ...SECURITY, 'accounts.write', 'operations.settle', 'events.expunge']),
  'notices.settle',
  'disputes.rule',
  'payouts.write',
  'balance.adjust',
  'settlements.settle',
  'test_clocks.clear',
];

/** What each role may do, and where. */
export const ROLES: Readonly<Record<string, Readonly<Record<'live' | 'test', readonly string[]>>>> =
  {
    viewer: { live: READS, test: READS },
    support: { live: SUPPORT, test: SUPPORT },
    developer: { live: SUPPORT, test: DEVELOPER },
    security: { live: SECURITY, test: SECURITY },
    admin: { live: ADMIN, test: ADMIN },
    // Names that are no role give nothing.
    nobody: { live: [], test: [] },
    constructor: { live: [], test: [] },
  };
