import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
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
const reference = createRoute({
  getParentRoute: () => root,
  path: 'docs',
  component: lazyRouteComponent(
    () => import('./pages/reference/reference-page.tsx'),
    'ReferencePage',
  ),
});
const place = createRoute({
  getParentRoute: () => root,
  path: '$account/$environment',
  component: PlacePages,
  notFoundComponent: PageMissing,
});

function page<Name extends string>(
  path: string,
  load: () => Promise<Readonly<Record<Name, FunctionComponent>>>,
  name: Name,
) {
  // Another object is another page: its dialogs are closed, and its heading gets the focus.
  const remountDeps = ({ params }: { params: object }) => params;
  const component = lazyRouteComponent(load, name);
  return createRoute({ getParentRoute: () => place, path, component, remountDeps });
}

const home = createRoute({ getParentRoute: () => place, path: '/', component: HomePage });

/** Each group of pages is a file of its own, which the browser loads when it is opened. */
const pages = [
  page('keys', () => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
  page('keys/$id', () => import('./pages/keys/key-page.tsx'), 'KeyPage'),
  page('endpoints', () => import('./pages/endpoints/endpoints-page.tsx'), 'EndpointsPage'),
  page('endpoints/$id', () => import('./pages/endpoints/endpoint-page.tsx'), 'EndpointPage'),
  page('deliveries', () => import('./pages/deliveries/deliveries-page.tsx'), 'DeliveriesPage'),
  page('deliveries/$id', () => import('./pages/deliveries/delivery-page.tsx'), 'DeliveryPage'),
  page('events', () => import('./pages/events/events-page.tsx'), 'EventsPage'),
  page('events/$id', () => import('./pages/events/event-page.tsx'), 'EventPage'),
  page('replays', () => import('./pages/replays/replays-page.tsx'), 'ReplaysPage'),
  page('replays/$id', () => import('./pages/replays/replay-page.tsx'), 'ReplayPage'),
  page(
    'applications',
    () => import('./pages/applications/applications-page.tsx'),
    'ApplicationsPage',
  ),
  page(
    'applications/$id',
    () => import('./pages/applications/application-page.tsx'),
    'ApplicationPage',
  ),
  page('leaks', () => import('./pages/leaks/leaks-page.tsx'), 'LeaksPage'),
  page('leaks/$id', () => import('./pages/leaks/leak-page.tsx'), 'LeakPage'),
  page('audit', () => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
  page('audit/$id', () => import('./pages/audit/audit-entry-page.tsx'), 'AuditEntryPage'),
  page('settings', () => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
  page('charges', () => import('./pages/charges/charges-page.tsx'), 'ChargesPage'),
  page('charges/$id', () => import('./pages/charges/charge-page.tsx'), 'ChargePage'),
  page('refunds', () => import('./pages/refunds/refunds-page.tsx'), 'RefundsPage'),
  page('refunds/$id', () => import('./pages/refunds/refund-page.tsx'), 'RefundPage'),
  page('balance', () => import('./pages/balance/balance-page.tsx'), 'BalancePage'),
  page(
    'bank-accounts',
    () => import('./pages/bank-accounts/bank-accounts-page.tsx'),
    'BankAccountsPage',
  ),
  page(
    'bank-accounts/$id',
    () => import('./pages/bank-accounts/bank-account-page.tsx'),
    'BankAccountPage',
  ),
  page(
    'balance/$id',
    () => import('./pages/balance/balance-transaction-page.tsx'),
    'BalanceTransactionPage',
  ),
];

export const router = createRouter({
  routeTree: root.addChildren([start, reference, place.addChildren([home, ...pages])]),
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
