import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { MOUNT_PATH } from './mount.ts';
import { HomePage } from './pages/home/home-page.tsx';
import { FirstPlace } from './shell/first-place.tsx';
import { PageFailure } from './shell/page-failure.tsx';
import { PageMissing } from './shell/page-missing.tsx';
import { PlacePages } from './shell/place-pages.tsx';
import { Root } from './shell/root.tsx';
import type { Address } from './use-address.ts';

const root = createRootRoute({
  component: Root,
  notFoundComponent: PageMissing,
  validateSearch: (search): Address => search as Address,
});
const start = createRoute({ getParentRoute: () => root, path: '/', component: FirstPlace });
const place = createRoute({
  getParentRoute: () => root,
  path: '$account/$environment',
  component: PlacePages,
  notFoundComponent: PageMissing,
});

function page(path: string, component: ReturnType<typeof lazyRouteComponent>) {
  // Another object is another page: its dialogs are closed, and its heading gets the focus.
  const remountDeps = ({ params }: { params: object }) => params;
  return createRoute({ getParentRoute: () => place, path, component, remountDeps });
}

const home = createRoute({ getParentRoute: () => place, path: '/', component: HomePage });

/** Each group of pages is a file of its own, which the browser loads when it is opened. */
const pages = [
  page(
    'keys',
    lazyRouteComponent(() => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
  ),
  page(
    'keys/$id',
    lazyRouteComponent(() => import('./pages/keys/key-page.tsx'), 'KeyPage'),
  ),
  page(
    'endpoints',
    lazyRouteComponent(() => import('./pages/endpoints/endpoints-page.tsx'), 'EndpointsPage'),
  ),
  page(
    'endpoints/$id',
    lazyRouteComponent(() => import('./pages/endpoints/endpoint-page.tsx'), 'EndpointPage'),
  ),
  page(
    'deliveries',
    lazyRouteComponent(() => import('./pages/deliveries/deliveries-page.tsx'), 'DeliveriesPage'),
  ),
  page(
    'deliveries/$id',
    lazyRouteComponent(() => import('./pages/deliveries/delivery-page.tsx'), 'DeliveryPage'),
  ),
  page(
    'events',
    lazyRouteComponent(() => import('./pages/events/events-page.tsx'), 'EventsPage'),
  ),
  page(
    'events/$id',
    lazyRouteComponent(() => import('./pages/events/event-page.tsx'), 'EventPage'),
  ),
  page(
    'replays',
    lazyRouteComponent(() => import('./pages/replays/replays-page.tsx'), 'ReplaysPage'),
  ),
  page(
    'replays/$id',
    lazyRouteComponent(() => import('./pages/replays/replay-page.tsx'), 'ReplayPage'),
  ),
  page(
    'applications',
    lazyRouteComponent(
      () => import('./pages/applications/applications-page.tsx'),
      'ApplicationsPage',
    ),
  ),
  page(
    'applications/$id',
    lazyRouteComponent(
      () => import('./pages/applications/application-page.tsx'),
      'ApplicationPage',
    ),
  ),
  page(
    'leaks',
    lazyRouteComponent(() => import('./pages/leaks/leaks-page.tsx'), 'LeaksPage'),
  ),
  page(
    'leaks/$id',
    lazyRouteComponent(() => import('./pages/leaks/leak-page.tsx'), 'LeakPage'),
  ),
  page(
    'audit',
    lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
  ),
  page(
    'audit/$id',
    lazyRouteComponent(() => import('./pages/audit/audit-entry-page.tsx'), 'AuditEntryPage'),
  ),
  page(
    'settings',
    lazyRouteComponent(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
  ),
  page(
    'charges',
    lazyRouteComponent(() => import('./pages/charges/charges-page.tsx'), 'ChargesPage'),
  ),
  page(
    'charges/$id',
    lazyRouteComponent(() => import('./pages/charges/charge-page.tsx'), 'ChargePage'),
  ),
  page(
    'refunds',
    lazyRouteComponent(() => import('./pages/refunds/refunds-page.tsx'), 'RefundsPage'),
  ),
  page(
    'refunds/$id',
    lazyRouteComponent(() => import('./pages/refunds/refund-page.tsx'), 'RefundPage'),
  ),
  page(
    'balance',
    lazyRouteComponent(() => import('./pages/balance/balance-page.tsx'), 'BalancePage'),
  ),
  page(
    'balance/$id',
    lazyRouteComponent(
      () => import('./pages/balance/balance-transaction-page.tsx'),
      'BalanceTransactionPage',
    ),
  ),
];

export const router = createRouter({
  routeTree: root.addChildren([start, place.addChildren([home, ...pages])]),
  basepath: MOUNT_PATH.replace(/\/$/, ''),
  defaultErrorComponent: PageFailure,
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  scrollRestoration: true,
  // All values are texts: the address stays readable.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString();
    return text === '' ? '' : `?${text}`;
  },
});
