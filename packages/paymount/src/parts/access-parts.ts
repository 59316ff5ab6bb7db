import {
  ClientAddresses,
  createGuard,
  createLimits,
  type Limits,
  TlsCheck,
  UsageRecorder,
} from '@paymount/auth';
import { createAccountService, createKeyService, keySights, OwnKeys } from '@paymount/core/access';
import { createApi } from '@paymount/http';
import { redisNudge } from '../adapters/redis-nudge.ts';
import { Nudges } from './nudges.ts';
import type { Factories, Get } from './parts.ts';

/** Who may do what, and the faces that ask it. */
export const ACCESS_PARTS = {
  clients: (get) => new ClientAddresses(get('options').trustedProxies),
  tls: (get) => {
    const { tlsVersionHeader: versionHeader } = get('options');
    return new TlsCheck({
      addresses: get('clients'),
      ...(versionHeader === undefined ? {} : { versionHeader }),
    });
  },
  limits: limitsOf,
  guard: (get) =>
    createGuard({
      credentials: get('stores').credentials,
      clock: get('clock'),
      logger: get('logger'),
      limits: get('limits'),
    }),
  nudges: nudgesOf,
  usage: (get) =>
    new UsageRecorder({
      usage: get('stores').usage,
      clock: get('clock'),
      logger: get('logger'),
    }),
  accounts: (get) => createAccountService({ access: get('stores').access, clock: get('clock') }),
  keys: (get) => {
    const { issuerTag } = get('options');
    return createKeyService({
      access: get('stores').access,
      keys: get('stores').directory.keys,
      clock: get('clock'),
      flushUsage: () => get('usage').flush(),
      ...(issuerTag === undefined ? {} : { issuerTag }),
    });
  },
  keySights: (get) => {
    const { safeAfterSeconds } = get('options');
    return keySights({
      usage: get('stores').usage,
      clock: get('clock'),
      ...(safeAfterSeconds === undefined ? {} : { safeAfterSeconds }),
    });
  },
  api: (get) =>
    createApi({
      ...get('services'),
      ownKeys: new OwnKeys({
        reader: get('stores').directory.keys,
        service: get('keys'),
        sights: get('keySights'),
      }),
      resolver: get('resolver'),
      idempotency: get('stores').storage.idempotency,
      sealer: get('sealer'),
      clock: get('clock'),
      fingerprintKey: get('fingerprintKey'),
    }),
} satisfies Partial<Factories>;

function nudgesOf(get: Get): Nudges {
  const { namespace } = get('adapter');
  const redis = get('redis');
  const { nudge } = get('stores');
  return new Nudges({
    guard: get('guard'),
    ...(nudge && { database: nudge }),
    ...(redis && { redis: redisNudge(redis, namespace) }),
  });
}

function limitsOf(get: Get): Limits {
  const { rateLimit = {} } = get('options');
  const { namespace } = get('adapter');
  const redis = rateLimit === false ? undefined : get('redis');
  return createLimits(rateLimit, {
    clock: get('clock'),
    logger: get('logger'),
    ...(redis && { redis: { client: redis.producer, prefix: `${namespace}:limit` } }),
  });
}
