import type { Environment, HostUser } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { type FakeLogin, fakeLogin } from '../support/fake-login.ts';
import type { TestHostOptions } from '../support/host.ts';
import { LiveBank } from '../support/live-bank.ts';

/** Where the setup mounts the dashboard. */
export const MOUNT = '/shop/dashboard';

type Role = HostUser['accounts'][number]['role'];

/** A host with a dashboard, and a login. */
export interface DashboardSetup extends TestApp {
  readonly clock: FakeClock;
  readonly login: FakeLogin;
  /** Logs a user in. @returns the header `Cookie` */
  logIn(role: Role, hostUser?: Partial<HostUser>): string;
  /** Sends a request below the mount. */
  open(path: string, more?: Ask): Promise<Reply>;
  /** Calls the API for the account of the setup as the user of a cookie. */
  call(cookie: string, path: string, more?: DashboardCall): Promise<Reply>;
}

interface DashboardCall {
  /** @defaultValue test */
  readonly environment?: Environment;
  /** Sent as JSON by POST. */
  readonly body?: object;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

interface DashboardSetupOptions extends TestHostOptions {
  /** @defaultValue a new one that runs */
  readonly clock?: FakeClock;
}

/** Starts it; `close()` it in `after`. */
export async function startDashboardSetup(
  options: DashboardSetupOptions = {},
): Promise<DashboardSetup> {
  const { clock = fakeClock() } = options;
  const login = fakeLogin();
  const app = await startApp({
    ...options,
    paymount: { clock, processors: { live: new LiveBank(clock) }, ...options.paymount },
    mount(host, paymount) {
      const { identity } = login;
      // Chromium asks for it on the page of the login.
      host.get('/favicon.ico', (_request, response) => void response.status(204).end());
      host.get('/login', (_request, response) => void response.send('<h1>Log in</h1>'));
      host.use(
        MOUNT,
        paymount.dashboardRouter({ identity, apiReference: { url: '/' }, requireTls: false }),
      );
      host.use(paymount.router({ environment: 'test', requireTls: false }));
    },
  });
  return openDashboard(app, { clock, login });
}

/** The dashboard of an app that mounts it at `MOUNT`. */
export function openDashboard(
  app: TestApp,
  { clock, login }: Pick<DashboardSetup, 'clock' | 'login'>,
): DashboardSetup {
  const open: DashboardSetup['open'] = (path, more = {}) =>
    ask(`${app.url}${MOUNT}${path}`, { key: '', ...more });
  return {
    ...app,
    clock,
    login,
    open,
    logIn: (role, hostUser = {}) =>
      login.logIn({
        authTime: clock.now(),
        accounts: [{ id: app.account, name: 'Test shop', role }],
        ...hostUser,
      }),
    call(cookie, path, { environment = 'test', body, method, headers = {} } = {}) {
      const write = { 'paymount-csrf': '1', 'content-type': 'application/json' };
      return open(`/api/${app.account}/${environment}${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          cookie,
          ...(body === undefined && method === undefined ? {} : write),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    },
  };
}
