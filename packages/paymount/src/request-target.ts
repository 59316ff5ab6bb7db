import type { IncomingMessage } from 'node:http';
import { type MountedTarget, originalTarget } from '@paymount/http';

const API_PREFIX = '/v1/';

/** What a request asks for, below the mount. */
export interface RequestTarget {
  /** Still percent-encoded. */
  readonly pathname: string;
  /** What follows the `?`. */
  readonly query: string;
}

/** Reads the target of a request; proxies may send it in absolute form (RFC 9112, section 3.2). */
export function requestTarget({ url = '/' }: IncomingMessage): RequestTarget {
  return targetOf(url);
}

/** A path below the mount, and the mount: the part of the target that the host's app cut off. */
export function mountedTarget(request: IncomingMessage, pathname: string): MountedTarget {
  const original = targetOf(originalTarget(request)).pathname;
  const mount = original.endsWith(pathname) ? original.slice(0, -pathname.length) : '';
  return { pathname, mount };
}

function targetOf(url: string): RequestTarget {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  const mark = url.indexOf('?', start);
  if (mark < 0) return { pathname: url.slice(start), query: '' };
  return { pathname: url.slice(start, mark), query: url.slice(mark + 1) };
}

/** The target of a request to the API; undefined when it is none of ours. */
export function apiTarget(request: IncomingMessage): RequestTarget | undefined {
  const target = requestTarget(request);
  return target.pathname.startsWith(API_PREFIX) ? target : undefined;
}
