import type { Authenticator, Identity } from '@paymount/auth';
import type { Environment } from '@paymount/core/kernel';
import type { ApiReferenceOptions, DashboardLooks } from '@paymount/dashboard';
import type { AppearanceOptions } from '@paymount/oauth';
import type { MountEnvironment } from './mount-environment.ts';

/** The options of `router()`. */
export interface RouterOptions {
  readonly environment: MountEnvironment;
  /** Refuses requests that did not come over TLS 1.2 or later. @defaultValue true */
  readonly requireTls?: boolean;
  /** Serves `GET /v1/docs`, a page of routes and errors that needs no key. @defaultValue false */
  readonly apiPage?: boolean;
}

/** The options of `leakRouter()`. */
export interface LeakRouterOptions {
  /** Reports contain working credentials. @defaultValue true */
  readonly requireTls?: boolean;
}

/** The options of `noticeRouter()`. */
export interface NoticeRouterOptions {
  /** Whose processor sends the notices. */
  readonly environment: Environment;
  /** Refuses requests that did not come over TLS 1.2 or later. @defaultValue true */
  readonly requireTls?: boolean;
}

/** The options of `invoiceRouter()`. */
export interface InvoiceRouterOptions {
  readonly environment: Environment;
  /** Refuses requests that did not come over TLS 1.2 or later. @defaultValue true */
  readonly requireTls?: boolean;
}

/** The options of `managementRouter()`. */
export interface ManagementRouterOptions {
  readonly authenticate: Authenticator;
  /**
   * Origins of the pages that may write, such as `https://admin.example.com`.
   * @defaultValue the origin to which a request was sent
   */
  readonly origins?: readonly string[];
  /** Refuses requests that did not come over TLS 1.2 or later. @defaultValue true */
  readonly requireTls?: boolean;
}

/** The options of `oauthRouter()`. */
export interface OAuthRouterOptions {
  readonly environment: Environment;
  /**
   * The public URL of the mount without a slash at its end, such as `https://pay.example.com`: the
   * identifier of this authorization server (RFC 8414). In live it uses https.
   */
  readonly issuer: string;
  /** Your login, for the pages on which your users approve platforms. */
  readonly identity: Identity;
  /** The looks of these pages. */
  readonly appearance?: AppearanceOptions;
  /** Refuses requests that did not come over TLS 1.2 or later. @defaultValue true */
  readonly requireTls?: boolean;
}

/** The options of `dashboardRouter()`. */
export interface DashboardRouterOptions {
  /** Your login, and the roles of your users in their accounts. */
  readonly identity: Identity;
  /** @defaultValue both */
  readonly environments?: readonly Environment[];
  /** The looks of the pages. */
  readonly appearance?: DashboardLooks;
  /** Shows the reference of `/v1` at `/docs` below the mount. @defaultValue no reference */
  readonly apiReference?: ApiReferenceOptions;
  /**
   * The path of the mount in the address bar, such as `/public/shop/dashboard`, if a proxy changes
   * the paths of requests: where the login leads back to.
   * @defaultValue the path at which your app mounts the dashboard
   */
  readonly publicPath?: string;
  /**
   * Origins of the pages that may write, if a proxy changes the host of requests.
   * @defaultValue the origin to which a request was sent
   */
  readonly origins?: readonly string[];
  /** Refuses requests that did not come over TLS 1.2 or later. @defaultValue true */
  readonly requireTls?: boolean;
}

/** The options of `wellKnownRouter()`. */
export interface WellKnownRouterOptions {
  /** The issuers of the mounts of `oauthRouter()` below this root; at least one. */
  readonly issuers: Readonly<Partial<Record<Environment, string>>>;
}

/** The options of `startWorker()`. */
export interface WorkerOptions {
  /**
   * False turns off the sweeper, which finds every delivery. Only tests need that, to show that
   * they would notice a loss.
   * @defaultValue true
   */
  readonly reconcile?: boolean;
}
