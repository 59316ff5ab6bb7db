import { loadSealingKeys, requireOwnKeys } from '@paymount/auth';
import type { LeakService } from '@paymount/core/access';
import type { Environment } from '@paymount/core/kernel';
import type { Difference } from '@paymount/core/ledger';
import { createFormSelector, withApiPage } from '@paymount/http';
import { pinoLogger } from './adapters/pino-logger.ts';
import { redactingLogger } from './adapters/redacting-logger.ts';
import { connectRedis } from './adapters/redis.ts';
import { systemClock } from './adapters/system-clock.ts';
import { boundServices } from './host/bound-services.ts';
import { type HostAccess, hostAccess } from './host/host-access.ts';
import { type HostServices, hostServices } from './host/host-services.ts';
import { createLeakRouter } from './mount/leak-router.ts';
import { createManagementRouter, requireAuthenticator } from './mount/management-router.ts';
import type { Router } from './mount/mounted-router.ts';
import { proxyWarning } from './mount/proxy-warning.ts';
import { requiresTls } from './mount/requires-tls.ts';
import { createRouter, type RouterPorts } from './mount/router.ts';
import { createMailer } from './options/create-mailer.ts';
import { assertKnownOptions } from './options/known-options.ts';
import type { MountEnvironment } from './options/mount-environment.ts';
import type {
  LeakRouterOptions,
  ManagementRouterOptions,
  PaymountOptions,
  PaymountStorageOptions,
  RouterOptions,
} from './options/options.ts';
import type { HostTransaction } from './options/postgres-storage.ts';
import { requireAdapter } from './options/require-adapter.ts';
import { assertReady } from './parts/assert-ready.ts';
import { compose } from './parts/container.ts';
import { requireProcessor } from './parts/missing-processor.ts';
import type { BootParts, Parts } from './parts/parts.ts';
import { requireMailer } from './parts/require-mailer.ts';
import { WorkInFlight } from './parts/work-in-flight.ts';

/** The object that a host mounts. */
export interface Paymount extends HostServices, HostAccess {
  /**
   * The `/v1` routes, for `app.use()` at any path. Every mount shares one key cache.
   * @throws Error for another environment, and for live without a processor or its own sealing
   *   keys; TypeError for an unknown option
   */
  router(options: RouterOptions): Router;
  /**
   * `POST /leaks/github`, for the reports of GitHub's secret scanning, and `POST /leaks/NAME` for
   * those of `leaks.sources`. Mount it before body parsers: it needs the raw bytes, or
   * `req.rawBody`.
   */
  leakRouter(options?: LeakRouterOptions): Router;
  /**
   * The API of admins, for `app.use()` at its own path, such as `/admin/payments`; it answers all
   * requests below that path.
   * @throws TypeError without an authenticator; Error for an invalid origin
   */
  managementRouter(options: ManagementRouterOptions): Router;
  /**
   * The same services, bound to a transaction of the host: of knex, a pg client after `BEGIN`, or a
   * port to any other library.
   * @throws TypeError if it is not an open transaction
   */
  using(transaction: HostTransaction): HostServices;
  /** Leaked credentials: for your own scanners. */
  readonly leaks: LeakService;
  /**
   * Checks that money, states and events agree, on one connection.
   * @returns the differences, at most 100 of each rule; empty if everything agrees
   */
  verify(): Promise<readonly Difference[]>;
  /**
   * From now on refuses requests (503) and calls (`unavailable`), waits at most 10 s for running
   * ones and for work after a transaction of `using()`, and closes the opened connections; the
   * host's pool or knex stays open. Safe to call twice.
   */
  close(): Promise<void>;
}

/**
 * The same in every copy of the package: a worker may come from the CommonJS build, a mount from
 * the other.
 */
const PARTS = Symbol.for('paymount.parts');

interface Assembled extends Paymount {
  readonly [PARTS]: Parts;
}

/** The parts behind a mount, for `paymount/worker` and the operators' commands. */
export function partsOf(paymount: Paymount): Parts {
  if (!isAssembled(paymount)) throw new TypeError('This was not made by createPaymount().');
  return paymount[PARTS];
}

function isAssembled(paymount: Paymount): paymount is Assembled {
  return PARTS in Object(paymount);
}

/**
 * Creates the payments service of one process. Wrong options, an unreachable database and an
 * incompatible schema throw here, before anything is mounted.
 * @throws Error if an option is wrong; the message says what to do
 * @throws Error if `sealingKeys` cannot open the stored secrets
 * @throws SchemaError if the schema is missing, not up to date, or of a newer breaking version
 * @throws DatabaseError if there is no connection, or the server cannot be used as it is
 */
export async function createPaymount(
  given: PaymountOptions | PaymountStorageOptions,
): Promise<Paymount> {
  assertKnownOptions('createPaymount()', given);
  const { sealingKeys, ...options } = given;
  const adapter = requireAdapter(options);
  const clock = options.clock ?? systemClock;
  const logger = redactingLogger(options.logger ?? pinoLogger());
  const ring = await loadSealingKeys({
    environment: 'test',
    clock,
    logger,
    ...(sealingKeys === undefined ? {} : { keys: sealingKeys }),
  });
  const mailer = await createMailer(options);
  if (options.migrate === true) await adapter.migrate();
  const redis = options.redis === undefined ? undefined : await connectRedis(options.redis, logger);
  const parts = await composed({ options, adapter, clock, logger, ring, redis, mailer });
  await ready(parts);
  const warnOfProxies = proxyWarning(parts.clients.trustsProxies, logger);
  const inFlight = new WorkInFlight();
  const hostPorts = { ...parts, inFlight };
  let closing: Promise<void> | undefined;
  const paymount: Paymount = {
    ...hostServices(hostPorts, parts.stores.storage),
    ...hostAccess(parts, inFlight),
    leaks: inFlight.calls(parts.leaks),
    // JavaScript callers may leave out required options.
    router: (mount: Partial<RouterOptions> = {}) => {
      assertKnownOptions('router()', mount);
      const { environment, apiPage } = mount;
      requireReady(parts, environment);
      parts.accessChangeNotifications.start();
      parts.hookAnnouncement.start();
      return createRouter({
        ...parts,
        environment,
        ...buildApiPorts(parts, apiPage),
        requireTls: requiresTls(mount, logger),
        warnOfProxies,
        inFlight,
      });
    },
    leakRouter: (mount = {}) => {
      assertKnownOptions('leakRouter()', mount);
      return createLeakRouter({
        ...parts,
        ...docSettings(parts),
        requireTls: requiresTls(mount, logger),
        inFlight,
      });
    },
    managementRouter: (mount: Partial<ManagementRouterOptions> = {}) => {
      assertKnownOptions('managementRouter()', mount);
      return createManagementRouter({
        ...parts,
        authenticate: requireAuthenticator(mount.authenticate),
        ...docSettings(parts),
        ...(mount.origins && { origins: mount.origins }),
        requireTls: requiresTls(mount, logger),
        inFlight,
      });
    },
    using: (transaction) => boundServices(hostPorts, parts.stores.using(transaction), paymount),
    verify: () => inFlight.call(() => parts.stores.verify()),
    close: () => {
      closing ??= close(parts, inFlight);
      return closing;
    },
  };
  // Not enumerable, so that printing or copying a mount does not include them.
  return Object.defineProperty(paymount, PARTS, { value: parts });
}

/** The extra pages of a mount of the API, and the links in its errors. */
function buildApiPorts(parts: Parts, apiPage = false): Pick<RouterPorts, 'api' | 'selectForm'> {
  const api = apiPage ? withApiPage(parts.api) : parts.api;
  return { api, selectForm: createFormSelector({ ...docSettings(parts), apiPage }) };
}

function docSettings({ options: { docUrl } }: Parts): { readonly docUrl?: string } {
  return docUrl === undefined ? {} : { docUrl };
}

/** After an error in an option, no connection stays open. */
async function composed(settled: BootParts): Promise<Parts> {
  try {
    return compose(settled);
  } catch (error) {
    await settled.redis?.close();
    throw error;
  }
}

/** After an error at startup, no connection stays open. */
async function ready(parts: Parts): Promise<void> {
  try {
    await assertReady(parts);
  } catch (error) {
    await close(parts, new WorkInFlight());
    throw error;
  }
}

async function close(parts: Parts, inFlight: WorkInFlight): Promise<void> {
  parts.api.close();
  await inFlight.close();
  parts.guard.close();
  const { wakeUps, usage, urlLeaks, accessChangeNotifications } = parts;
  await Promise.all([
    wakeUps?.close(),
    usage.close(),
    urlLeaks.close(),
    accessChangeNotifications.close(),
  ]);
  await Promise.all([parts.stores.close(), parts.redis?.close()]);
}

function requireReady(
  parts: Parts,
  environment: MountEnvironment | undefined,
): asserts environment is MountEnvironment {
  if (environment === 'test') return;
  if (environment !== 'live' && typeof environment !== 'function') {
    throw new Error('`environment` is "live", "test" or a function of the request.');
  }
  requireProcessor(parts.processors.live);
  requireOwnKeys(parts.ring);
  requireMailer(parts);
}

export type { Environment };
