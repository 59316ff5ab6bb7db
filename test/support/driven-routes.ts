import { SERVED } from './served-routes.ts';

const NO_METHOD = 'an extension: the package has no method for it';
const OLDER =
  'only older versions of the package have a method for it, which call the same services';

/** Routes of `/v1` that the official package of this version does not drive, and why. */
const UNDRIVEN: Readonly<Record<string, string>> = {
  'POST /v1/charges/:id/cancel': NO_METHOD,
  'POST /v1/charges/:id/refunds': OLDER,
  'GET /v1/charges/:id/refunds': OLDER,
  'GET /v1/charges/:id/refunds/:refund': OLDER,
  'POST /v1/charges/:id/refunds/:refund': OLDER,
  'POST /v1/charges/:id/refund': OLDER,
  'POST /v1/refunds/:id/cancel':
    'it succeeds only for a refund that no process has sent yet, and one of a request is sent at once; its refusal is driven',
  'POST /v1/webhook_endpoints/:id/rotate_secret': NO_METHOD,
  'POST /v1/events/:id/replay': NO_METHOD,
  'GET /v1/events/stream': NO_METHOD,
  'GET /v1/deliveries': NO_METHOD,
  'GET /v1/deliveries/summary': NO_METHOD,
  'GET /v1/deliveries/:id': NO_METHOD,
  'POST /v1/deliveries/:id/retry': NO_METHOD,
  'GET /v1/replays': NO_METHOD,
  'GET /v1/replays/:id': NO_METHOD,
  'POST /v1/replays': NO_METHOD,
  'POST /v1/replays/:id/cancel': NO_METHOD,
  'GET /v1/api_keys': NO_METHOD,
  'GET /v1/api_keys/:id': NO_METHOD,
  'POST /v1/api_keys/:id/revoke': NO_METHOD,
  'GET /v1/connected_applications': NO_METHOD,
  'GET /v1/connected_applications/:id': NO_METHOD,
  'DELETE /v1/connected_applications/:id': NO_METHOD,
  'POST /v1/test_helpers/events': NO_METHOD,
};

/** The names of the served routes, as the package declares them; those without parameters first. */
const ROUTES = SERVED.api
  .map(({ method, pattern }) => ({
    name: `${method} ${pattern}`,
    method,
    matches: new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`),
  }))
  .toSorted((one, other) => one.name.split(':').length - other.name.split(':').length);

/** What the clients of each version of the package have. */
export interface FollowedClient {
  on(event: 'response', handler: (event: Answered) => void): void;
}
interface Answered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** Which routes were answered with success to the official package, by its own account. */
export class DrivenRoutes {
  readonly #driven = new Set<string>();

  /** Follows what a client of the package sends, whatever its version. */
  follow<Client extends FollowedClient>(stripe: Client): Client {
    stripe.on('response', ({ method, path, status }) => {
      if (status < 200 || status > 299) return;
      const [pathname = ''] = path.split('?');
      const route = ROUTES.find((each) => each.method === method && each.matches.test(pathname));
      this.#driven.add(route?.name ?? `${method} ${pathname}, which is not served`);
    });
    return stripe;
  }

  /** In the order of names. */
  get driven(): readonly string[] {
    return [...this.#driven].toSorted();
  }
}

/** What must be driven: every served route without a reason against it. */
export const DRIVABLE: readonly string[] = ROUTES.map(({ name }) => name)
  .filter((name) => UNDRIVEN[name] === undefined)
  .toSorted();

/** Reasons for routes that are not served. */
export const UNSERVED = Object.keys(UNDRIVEN).filter(
  (name) => !ROUTES.some((route) => route.name === name),
);
