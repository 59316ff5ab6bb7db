import type { IncomingMessage } from 'node:http';
import { type MountedTarget, originalTarget } from '@paymount/http';

/** Where the routes are. */
const API_PATH = /^\/v1(?:\/|$)/;

/** The target of a request, below the mount. */
export interface RequestTarget {
  /** Still percent-encoded. */
  readonly pathname: string;
  /** The part after the `?`. */
  readonly query: string;
}

/** Reads the target of a request; proxies may send it in absolute form (RFC 9112, section 3.2). */
export function requestTarget({ url = '/' }: IncomingMessage): RequestTarget {
  return parseTarget(url);
}

/** A path below the mount, and the mount: the part of the target that the host's app removed. */
export function mountedTarget(request: IncomingMessage, pathname: string): MountedTarget {
  const original = parseTarget(originalTarget(request)).pathname;
  if (original.endsWith(pathname)) return { pathname, mount: original.slice(0, -pathname.length) };
  // The request is for `/payments`, which is `/` below the mount.
  return { pathname, mount: pathname === '/' ? original : '' };
}

function parseTarget(url: string): RequestTarget {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  const mark = url.indexOf('?', start);
  if (mark < 0) return { pathname: url.slice(start), query: '' };
  return { pathname: url.slice(start, mark), query: url.slice(mark + 1) };
}

/**
 * The target of a request to the API; undefined if it does not belong to the API. The path of the
 * mount itself belongs to the API, unless it is the root of the app, which belongs to the host.
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
