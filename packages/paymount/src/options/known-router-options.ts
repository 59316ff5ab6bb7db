import {
  type AllOptions,
  ANY_OPTION,
  arrayOption,
  booleanOption,
  enumOption,
  type KnownOptions,
  objectOption,
  stringOption,
} from '@paymount/core/kernel';
import type { ApiReferenceOptions, DashboardLooks } from '@paymount/dashboard';
import type { AppearanceOptions } from '@paymount/oauth';
import type {
  DashboardRouterOptions,
  InvoiceRouterOptions,
  LeakRouterOptions,
  ManagementRouterOptions,
  NoticeRouterOptions,
  OAuthRouterOptions,
  RouterOptions,
  WellKnownRouterOptions,
} from './router-options.ts';

const originOption = stringOption('an origin such as https://admin.example.com');
const originsOption = arrayOption(
  originOption,
  'a list of origins such as https://admin.example.com',
);
// The environment is checked where it is used, with its requirements.
const ROUTER: AllOptions<RouterOptions> = {
  environment: ANY_OPTION,
  requireTls: booleanOption,
  apiPage: booleanOption,
};
const LEAK_ROUTER: AllOptions<LeakRouterOptions> = { requireTls: booleanOption };
const NOTICE_ROUTER: AllOptions<NoticeRouterOptions> = {
  environment: ANY_OPTION,
  requireTls: booleanOption,
};
const INVOICE_ROUTER: AllOptions<InvoiceRouterOptions> = {
  environment: ANY_OPTION,
  requireTls: booleanOption,
};
const MANAGEMENT_ROUTER: AllOptions<ManagementRouterOptions> = {
  authenticate: ANY_OPTION,
  origins: originsOption,
  requireTls: booleanOption,
};

/** The looks of pages: of the consent screen, and of invoices. */
export const APPEARANCE: AllOptions<AppearanceOptions> = {
  name: stringOption('a text'),
  logoUrl: stringOption('an https or `data:image/` address'),
  colors: ANY_OPTION,
  texts: ANY_OPTION,
};
const OAUTH_ROUTER: AllOptions<OAuthRouterOptions> = {
  environment: ANY_OPTION,
  issuer: ANY_OPTION,
  // Checked with what they need.
  identity: ANY_OPTION,
  appearance: objectOption(APPEARANCE),
  requireTls: booleanOption,
};

const LOOKS: AllOptions<DashboardLooks> = {
  name: stringOption('a text'),
  logoUrl: stringOption('a path such as /logo.svg, or a `data:image/` address'),
  color: stringOption('a color such as #1f4fd8'),
};
const API_REFERENCE: AllOptions<ApiReferenceOptions> = {
  url: stringOption('a path such as /payments/test, or an https address'),
};
const DASHBOARD_ROUTER: AllOptions<DashboardRouterOptions> = {
  identity: ANY_OPTION,
  environments: arrayOption(enumOption('live', 'test'), "a list such as ['live', 'test']"),
  appearance: objectOption(LOOKS),
  apiReference: objectOption(API_REFERENCE),
  publicPath: stringOption('a path such as /public/shop/dashboard'),
  origins: originsOption,
  requireTls: booleanOption,
};

const issuerOption = stringOption('an `http` or `https` address');
const WELL_KNOWN_ROUTER: AllOptions<WellKnownRouterOptions> = {
  issuers: objectOption({ live: issuerOption, test: issuerOption }),
};

/** The routers with options, by name. */
export const ROUTER_TAKERS = {
  'router()': ROUTER,
  'leakRouter()': LEAK_ROUTER,
  'noticeRouter()': NOTICE_ROUTER,
  'invoiceRouter()': INVOICE_ROUTER,
  'managementRouter()': MANAGEMENT_ROUTER,
  'oauthRouter()': OAUTH_ROUTER,
  'dashboardRouter()': DASHBOARD_ROUTER,
  'wellKnownRouter()': WELL_KNOWN_ROUTER,
} as const satisfies Record<string, KnownOptions>;
