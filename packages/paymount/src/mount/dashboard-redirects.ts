import type { IncomingMessage } from 'node:http';
import { type Identity, loginLocation } from '@paymount/auth';
import { originalTarget, type RouteResponse } from '@paymount/http';
import { FRESH_SECONDS } from '@paymount/management';
import { mountedTarget, type RequestTarget } from './request-target.ts';

export interface RedirectPorts {
  readonly identity: Identity;
  /** The path of the mount as browsers see it; absent: the path that the host's app removed. */
  readonly publicPath?: string;
}

/** A request for a page. */
export interface PageRequest {
  readonly request: IncomingMessage;
  /** Below the mount. */
  readonly target: RequestTarget;
}

/** To the same page with the slash that relative addresses of files need after the mount. */
export function redirectToSlash(ports: RedirectPorts, page: PageRequest): RouteResponse {
  return redirect(`${pathBelow(mountOf(ports, page), '')}${sentQuery(page)}`);
}

/** To the login, which leads back to the requested page. */
export function redirectToLogin(ports: RedirectPorts, page: PageRequest): RouteResponse {
  const returnTo = pathBelow(mountOf(ports, page), `${page.target.pathname}${sentQuery(page)}`);
  return redirect(loginLocation(ports.identity, returnTo, { reason: 'login' }));
}

/**
 * To the login, which leads back to the page that the parameter `to` names. The application sends
 * browsers here whose session has ended, or whose login is too old.
 */
export function redirectToLoginAgain(ports: RedirectPorts, page: PageRequest): RouteResponse {
  const sent = new URLSearchParams(page.target.query);
  // `URL` resolves dots.
  const to = new URL(`http://mount${pathBelow('', sent.get('to') ?? '')}`);
  const returnTo = pathBelow(mountOf(ports, page), `${to.pathname}${to.search}`);
  const isAgain = sent.get('reason') === 'reauthenticate';
  const hint = isAgain
    ? ({ reason: 'reauthenticate', maxAgeSeconds: FRESH_SECONDS } as const)
    : ({ reason: 'login' } as const);
  return redirect(loginLocation(ports.identity, returnTo, hint));
}

/** Whether the address ends in a slash. */
export function isDirectory(request: IncomingMessage): boolean {
  return /^[^?]*\/(?:\?|$)/.test(originalTarget(request));
}

/**
 * The public path of the mount, without a slash at its end.
 * @throws TypeError unless it is an absolute path in the form in which browsers send it
 */
export function requirePublicPath(path: string): string {
  const isPath = /^\/(?!\/)/.test(path) && !path.includes('//');
  // `URL` changes what is no plain path: queries, backslashes, dots, spaces, letters beyond ASCII.
  if (isPath && new URL(path, 'http://mount').pathname === path) return path.replace(/\/$/, '');
  throw new TypeError(
    '`publicPath` of dashboardRouter() is the path of the mount in the address bar, such as /public/shop/dashboard: no origin, no query, one slash between its parts.',
  );
}

function mountOf({ publicPath }: RedirectPorts, { request, target }: PageRequest): string {
  return publicPath ?? mountedTarget(request, target.pathname).mount;
}

function sentQuery({ target: { query } }: PageRequest): string {
  return query === '' ? '' : `?${query}`;
}

/**
 * A path below the mount that stays on this origin, whatever both contain. The mount is the sender's
 * text where the host mounts the dashboard at a pattern, and `//` at the start of a location would
 * begin a host. Browsers take a backslash for a slash, and leave out tabs and line ends.
 */
function pathBelow(mount: string, path: string): string {
  const [above, below] = [mount, path].map((part) => part.replace(/^[\s/\\]+/, ''));
  return above === '' ? `/${below}` : `/${above}/${below}`;
}

function redirect(location: string): RouteResponse {
  return { status: 303, body: '', headers: { Location: location } };
}
