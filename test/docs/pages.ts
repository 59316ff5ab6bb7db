import { currenciesFile } from './currencies.ts';
import { decisionsPage } from './decisions-page.ts';
import { errorsPage } from './errors-page.ts';
import { eventObjectsPage } from './event-objects-page.ts';
import { eventTypesFile } from './event-types.ts';
import { eventsPage } from './events-page.ts';
import { grafanaDashboard } from './grafana-dashboard.ts';
import { httpApiPage } from './http-api-page.ts';
import { contributingPage } from './imports-picture.ts';
import { managementApiPage } from './management-api-page.ts';
import { metricsPage } from './metrics-page.ts';
import { apiFile, dashboardFile, managementFile } from './openapi-files.ts';
import { optionsPage } from './options-page.ts';
import { scopesPage } from './scopes-page.ts';
import { statesPage } from './states-page.ts';
import { storagePortPage } from './storage-port-page.ts';

/** The pages that are made from code; each is a pure function of it. */
export const pages: readonly { readonly file: string; readonly make: () => string }[] = [
  { file: 'docs/reference/errors.md', make: errorsPage },
  { file: 'docs/reference/http-api.md', make: httpApiPage },
  { file: 'docs/reference/management-api.md', make: managementApiPage },
  { file: 'docs/reference/metrics.md', make: metricsPage },
  { file: 'docs/how-to/grafana-dashboard.json', make: grafanaDashboard },
  { file: 'docs/reference/events.md', make: eventsPage },
  { file: 'docs/reference/event-objects.md', make: eventObjectsPage },
  { file: 'docs/reference/options.md', make: optionsPage },
  { file: 'docs/reference/scopes.md', make: scopesPage },
  { file: 'docs/reference/states.md', make: statesPage },
  { file: 'docs/reference/storage-port.md', make: storagePortPage },
  { file: 'CONTRIBUTING.md', make: contributingPage },
  { file: 'docs/decisions/README.md', make: decisionsPage },
  { file: 'packages/paymount/openapi/api.json', make: apiFile },
  { file: 'packages/paymount/openapi/management.json', make: managementFile },
  { file: 'packages/paymount/openapi/dashboard.json', make: dashboardFile },
  { file: 'packages/dashboard/app/ui/currencies.generated.ts', make: currenciesFile },
  { file: 'packages/receiver/src/event-objects.generated.ts', make: eventTypesFile },
];
