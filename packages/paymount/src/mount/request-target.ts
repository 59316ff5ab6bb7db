import type { IncomingMessage } from 'node:http';
import { type MountedTarget, originalTarget } from '@paymount/http';

/** Where the routes are. */
const API_PATH = /^\/v1(?:\/|$)/;

/** What a request asks for, below the mount. */
export interface RequestTarget {
  /** Still percent-encoded. */
  readonly pathname: string;
  /** What follows the `?`. */
  readonly query: string;
}

/** Reads the target of a request; proxies may send it in absolute form (RFC 9112, section 3.2). */
export function requestTarget({ url = '/' }: IncomingMessage): RequestTarget {
  return parseTarget(url);
}

/** A path below the mount, and the mount: the part of the target that the host's app cut off. */
export function mountedTarget(request: IncomingMessage, pathname: string): MountedTarget {
  const original = parseTarget(originalTarget(request)).pathname;
  if (original.endsWith(pathname)) return { pathname, mount: original.slice(0, -pathname.length) };
  // `/payments` is asked for, and below the mount that is `/`.
  return { pathname, mount: pathname === '/' ? original : '' };
}

function parseTarget(url: string): RequestTarget {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  const mark = url.indexOf('?', start);
  if (mark < 0) return { pathname: url.slice(start), query: '' };
  return { pathname: url.slice(start, mark), query: url.slice(mark + 1) };
}

/**
 * The target of a request to the API; undefined if it is not of the API. The mount itself is, if it
 * is a path of the router's own; the root of an app is the host's.
 */
export function apiTarget(
  request: IncomingMessage,
  hasOwnPath: boolean,
): RequestTarget | undefined {
  const target = requestTarget(request);
  if (API_PATH.test(target.pathname)) return target;
  const isMount = hasOwnPath && mountedTarget(request, target.pathname).mount !== '';
  return isMount && target.pathname === '/' ? target : undefined;
}
