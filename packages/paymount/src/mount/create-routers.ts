import { requireOwnKeys } from '@paymount/auth';
import { AppFiles, checkLooks, createApiReference } from '@paymount/dashboard';
import { InvoicePages } from '@paymount/documents';
import { createFormSelector, withApiPage } from '@paymount/http';
import { createAppearance, createOAuthPages } from '@paymount/oauth';
import { assertKnownOptions } from '../options/known-options.ts';
import type { MountEnvironment } from '../options/mount-environment.ts';
import type {
  DashboardRouterOptions,
  InvoiceRouterOptions,
  LeakRouterOptions,
  ManagementRouterOptions,
  NoticeRouterOptions,
  OAuthRouterOptions,
  RouterOptions,
  WellKnownRouterOptions,
} from '../options/router-options.ts';
import { requireProcessor } from '../parts/missing-processor.ts';
import type { Parts } from '../parts/parts.ts';
import { requireMailer } from '../parts/require-mailer.ts';
import type { WorkInFlight } from '../parts/work-in-flight.ts';
import { requirePublicPath } from './dashboard-redirects.ts';
import {
  createDashboardRouter,
  type DashboardRouterPorts,
  requireEnvironments,
} from './dashboard-router.ts';
import { createHealthRouter } from './health-router.ts';
import { createInvoiceRouter, type InvoiceRouterPorts } from './invoice-router.ts';
import { createLeakRouter } from './leak-router.ts';
import { createManagementRouter, requireAuthenticator } from './management-router.ts';
import type { Router } from './mounted-router.ts';
import { createNoticeRouter } from './notice-router.ts';
import { createOAuthRouter, type OAuthRouterPorts } from './oauth-router.ts';
import { proxyWarning } from './proxy-warning.ts';
import { requireIdentity } from './require-identity.ts';
import { requireIssuer, requireIssuers } from './require-issuer.ts';
import { requiresTls } from './requires-tls.ts';
import { createRouter, type RouterPorts } from './router.ts';
import { createWellKnownRouter } from './well-known-router.ts';

/** What a host mounts in its app. */
export interface Routers {
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
   * Receives what the processor of an environment reports, for `app.use()` at its own path, such as
   * `/notices/acme`. Mount it before body parsers: the adapter needs the raw bytes, or
   * `req.rawBody`.
   * @throws PaymountError `operation_not_supported` if the adapter has no `ingest`; as `router()`
   */
  noticeRouter(options: NoticeRouterOptions): Router;
  /**
   * The pages and PDFs of invoices that customers open, for `app.use()` at the path of
   * `invoices.urls`, such as `/invoices`. Nobody logs in: an address that nobody can guess gives access
   * to one invoice.
   * @throws Error for another environment, without `invoices.urls`, and without the libraries for PDFs;
   *   TypeError for an unknown option
   */
  invoiceRouter(options: InvoiceRouterOptions): Router;
  /**
   * The API of admins, for `app.use()` at its own path, such as `/admin/payments`; it answers all
   * requests below that path.
   * @throws TypeError without an authenticator; Error for an invalid origin
   */
  managementRouter(options: ManagementRouterOptions): Router;
  /**
   * OAuth beside `/v1`: the endpoints that servers of platforms call (`/oauth/token`,
   * `/oauth/revoke`, `/oauth/introspect`, `/oauth/deauthorize`), their metadata, and the pages on
   * which users of the host approve platforms (`/oauth/authorize`).
   * @throws TypeError without `identity`, for an unknown option, and for looks that cannot be read;
   *   Error for another environment or issuer
   */
  oauthRouter(options: OAuthRouterOptions): Router;
  /**
   * The dashboard of merchants, for `app.use()` at its own path, such as `/dashboard`; it answers
   * all requests below that path. The host's login decides who opens it, for which accounts, and in
   * which role.
   * @throws TypeError without `identity`, for an unknown option, and for looks or a public path that
   *   cannot be used; Error for an invalid origin
   */
  dashboardRouter(options: DashboardRouterOptions): Router;
  /**
   * The metadata of issuers with a path, for the root of the app: clients of the issuer
   * `https://example.com/payments` ask for
   * `https://example.com/.well-known/oauth-authorization-server/payments` (RFC 8414, section 3.1).
   * @throws TypeError for an unknown option; Error for another issuer, or for none
   */
  wellKnownRouter(options: WellKnownRouterOptions): Router;
  /**
   * `GET /health/live` and `GET /health/ready`, for the probes of an orchestrator or a load
   * balancer: 200, or 503 with the problems. No login is needed.
   */
  healthRouter(): Router;
}

/** The routers of one process. */
export function createRouters(parts: Parts, inFlight: WorkInFlight): Routers {
  const { logger } = parts;
  const warnOfProxies = proxyWarning(parts.clients.trustsProxies, parts);
  let servesApi = false;
  return {
    // JavaScript callers may leave out required options.
    router: (mount: Partial<RouterOptions> = {}) => {
      assertKnownOptions('router()', mount);
      const { environment, apiPage } = mount;
      requireReady(parts, environment);
      servesApi = true;
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
    noticeRouter: (mount: Partial<NoticeRouterOptions> = {}) =>
      noticeRouterOf(parts, mount, inFlight),
    invoiceRouter: (mount: Partial<InvoiceRouterOptions> = {}) =>
      invoiceRouterOf(parts, mount, { inFlight, warnOfProxies }),
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
    oauthRouter: (mount: Partial<OAuthRouterOptions> = {}) =>
      oauthRouterOf(parts, mount, { inFlight, warnOfProxies }),
    dashboardRouter: (mount: Partial<DashboardRouterOptions> = {}) =>
      dashboardRouterOf(parts, mount, { inFlight, warnOfProxies }),
    wellKnownRouter: (mount: Partial<WellKnownRouterOptions> = {}) => {
      assertKnownOptions('wellKnownRouter()', mount);
      return createWellKnownRouter(requireIssuers(mount.issuers));
    },
    healthRouter: () =>
      createHealthRouter({
        checkHealth: parts.checkHealth,
        servesApi: () => servesApi,
        inFlight,
      }),
  };
}

function noticeRouterOf(
  parts: Parts,
  mount: Partial<NoticeRouterOptions>,
  inFlight: WorkInFlight,
): Router {
  assertKnownOptions('noticeRouter()', mount);
  const { environment } = mount;
  requireReady(parts, environment);
  if (typeof environment === 'function') {
    throw new Error('`environment` of noticeRouter() is "live" or "test": each has a processor.');
  }
  parts.noticeInbox.assertTakesNotices(environment);
  parts.hookAnnouncement.start();
  return createNoticeRouter({
    ...parts,
    ...docSettings(parts),
    environment,
    requireTls: requiresTls(mount, parts.logger),
    inFlight,
  });
}

function invoiceRouterOf(
  parts: Parts,
  mount: Partial<InvoiceRouterOptions>,
  process: Pick<InvoiceRouterPorts, 'inFlight' | 'warnOfProxies'>,
): Router {
  assertKnownOptions('invoiceRouter()', mount);
  const { environment } = mount;
  requireReady(parts, environment);
  if (typeof environment === 'function') {
    throw new Error('`environment` of invoiceRouter() is "live" or "test": each has a URL.');
  }
  const { invoiceSettings: settings, invoiceLinks, stores, pdfs } = parts;
  if (settings.urls[environment] === undefined) {
    throw new Error(
      `invoiceRouter() needs \`invoices.urls.${environment}\` of createPaymount(): the public URL of this mount.`,
    );
  }
  const { isGenuine } = invoiceLinks;
  const { read } = stores.storage;
  const printer = pdfs.open(settings.fonts);
  return createInvoiceRouter({
    ...parts,
    pages: new InvoicePages({ ...parts, ...settings, environment, isGenuine, read, printer }),
    requireTls: requiresTls(mount, parts.logger),
    ...process,
  });
}

function oauthRouterOf(
  parts: Parts,
  mount: Partial<OAuthRouterOptions>,
  process: Pick<OAuthRouterPorts, 'inFlight' | 'warnOfProxies'>,
): Router {
  assertKnownOptions('oauthRouter()', mount);
  const { environment, issuer } = mount;
  requireReady(parts, environment);
  if (typeof environment === 'function') {
    throw new Error('`environment` of oauthRouter() is "live" or "test": each has its own issuer.');
  }
  const site = {
    environment,
    issuer: requireIssuer(issuer, environment),
    identity: requireIdentity(mount.identity, 'oauthRouter()'),
    appearance: createAppearance(mount.appearance),
  };
  const { platforms } = parts.stores.directory;
  return createOAuthRouter({
    ...parts,
    ...site,
    pages: createOAuthPages({ ...parts, ...site, platforms }),
    requireTls: requiresTls(mount, parts.logger),
    ...process,
  });
}

function dashboardRouterOf(
  parts: Parts,
  mount: Partial<DashboardRouterOptions>,
  process: Pick<DashboardRouterPorts, 'inFlight' | 'warnOfProxies'>,
): Router {
  assertKnownOptions('dashboardRouter()', mount);
  const { appearance: looks = {}, origins, apiReference, publicPath } = mount;
  checkLooks(looks);
  return createDashboardRouter({
    ...parts,
    ...docSettings(parts),
    identity: requireIdentity(mount.identity, 'dashboardRouter()'),
    environments: requireEnvironments(mount.environments),
    accounts: parts.stores.directory.accounts,
    management: parts.dashboard,
    looks,
    ...(origins && { origins }),
    ...(apiReference && { reference: createApiReference(apiReference, parts.api.routes) }),
    ...(publicPath !== undefined && { publicPath: requirePublicPath(publicPath) }),
    files: new AppFiles(),
    requireTls: requiresTls(mount, parts.logger),
    ...process,
  });
}

/** The extra pages of a mount of the API, and the links in its errors. */
function buildApiPorts(parts: Parts, apiPage = false): Pick<RouterPorts, 'api' | 'selectForm'> {
  const api = apiPage ? withApiPage(parts.api) : parts.api;
  return { api, selectForm: createFormSelector({ ...docSettings(parts), apiPage }) };
}

function docSettings({ options: { docUrl } }: Parts): { readonly docUrl?: string } {
  return docUrl === undefined ? {} : { docUrl };
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
