import {
  ClientAddresses,
  createGuard,
  createLimits,
  type Limits,
  TlsCheck,
  UsageRecorder,
} from '@paymount/auth';
import {
  createAccountService,
  createKeyService,
  endingAccess,
  keyViews,
  OwnKeys,
} from '@paymount/core/access';
import {
  ConnectedApplications,
  createGrantService,
  createInteractionService,
  createPlatformService,
  createTokenService,
} from '@paymount/core/oauth';
import { BytesInFlight, createApi } from '@paymount/http';
import { createOAuthApi } from '@paymount/oauth';
import { redisAccessChangeNotifier } from '../adapters/redis-access-change-notifier.ts';
import { AccessChangeNotifications } from './access-change-notifications.ts';
import { Endings } from './endings.ts';
import type { Factories, Get } from './parts.ts';

/** Access control, and the APIs that use it. */
export const ACCESS_PARTS = {
  clients: (get) => new ClientAddresses(get('options').trustedProxies),
  tls: (get) => {
    const { tlsVersionHeader: versionHeader } = get('options');
    return new TlsCheck({
      addresses: get('clients'),
      ...(versionHeader === undefined ? {} : { versionHeader }),
    });
  },
  limits: buildLimits,
  bytes: (get) => new BytesInFlight(get('options').bytesInFlight),
  guard: (get) =>
    createGuard({
      credentials: get('stores').credentials,
      clock: get('clock'),
      logger: get('logger'),
      limits: get('limits'),
    }),
  endings: (get) => {
    const { mail: { operator } = {} } = get('options');
    const ports = { clock: get('clock'), logger: get('logger') };
    const { endedAccess } = get('stores');
    return new Endings({ endedAccess, ...ports, ...(operator && { operator }) });
  },
  access: (get) => endingAccess(get('stores').access, (ended) => get('endings').end(ended)),
  accessChangeNotifications: accessChangeNotificationsFor,
  usage: (get) =>
    new UsageRecorder({
      usage: get('stores').usage,
      clock: get('clock'),
      logger: get('logger'),
    }),
  accounts: (get) => createAccountService({ access: get('access'), clock: get('clock') }),
  keys: (get) => {
    const { issuerTag } = get('options');
    return createKeyService({
      access: get('access'),
      keys: get('stores').directory.keys,
      clock: get('clock'),
      flushUsage: () => get('usage').flush(),
      ...(issuerTag === undefined ? {} : { issuerTag }),
    });
  },
  grants: (get) => createGrantService({ access: get('access'), clock: get('clock') }),
  interactions: (get) =>
    createInteractionService({
      ...oauthPorts(get),
      interactions: get('stores').interactions,
    }),
  connectedApplications: (get) =>
    new ConnectedApplications({
      applications: get('stores').directory.connectedApplications,
      grants: get('grants'),
      usage: get('stores').usage,
      clock: get('clock'),
    }),
  tokens: (get) =>
    createTokenService({
      ...oauthPorts(get),
      tokens: get('stores').oauthTokens,
      accounts: get('stores').directory.accounts,
      sealer: get('sealer'),
      crashPoint: get('crashPoint'),
    }),
  oauth: (get) =>
    createOAuthApi({
      platforms: get('stores').directory.platforms,
      tokens: get('tokens'),
      grants: get('grants'),
    }),
  platforms: (get) =>
    createPlatformService({ ...oauthPorts(get), platforms: get('stores').directory.platforms }),
  keyViews: (get) => {
    const { safeAfterSeconds } = get('options');
    return keyViews({
      usage: get('stores').usage,
      clock: get('clock'),
      ...(safeAfterSeconds === undefined ? {} : { safeAfterSeconds }),
    });
  },
  api: (get) => {
    const api = createApi({
      ...get('services'),
      ownKeys: new OwnKeys({
        keys: get('stores').directory.keys,
        service: get('keys'),
        views: get('keyViews'),
      }),
      connectedApplications: get('connectedApplications'),
      resolver: get('resolver'),
      idempotency: get('stores').storage.idempotency,
      sealer: get('sealer'),
      clock: get('clock'),
      fingerprintKey: get('fingerprintKey'),
      logger: get('logger'),
    });
    const hook = get('hookAnnouncement');
    return { ...api, handle: (context) => hook.before(() => api.handle(context)) };
  },
} satisfies Partial<Factories>;

function oauthPorts(get: Get) {
  const { issuerTag } = get('options');
  return {
    access: get('access'),
    clock: get('clock'),
    ...(issuerTag === undefined ? {} : { issuerTag }),
  };
}

function accessChangeNotificationsFor(get: Get): AccessChangeNotifications {
  const { namespace } = get('adapter');
  const redis = get('redis');
  const { accessChangeNotifier } = get('stores');
  return new AccessChangeNotifications({
    guard: get('guard'),
    ...(accessChangeNotifier && { database: accessChangeNotifier }),
    ...(redis && { redis: redisAccessChangeNotifier(redis, namespace) }),
  });
}

function buildLimits(get: Get): Limits {
  const { rateLimit = {} } = get('options');
  const { namespace } = get('adapter');
  const redis = rateLimit === false ? undefined : get('redis');
  return createLimits(rateLimit, {
    clock: get('clock'),
    logger: get('logger'),
    ...(redis && { redis: { client: redis.producer, prefix: `${namespace}:limit` } }),
  });
}
