import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostErrorBody } from '@paymount/http';

type Next = (error?: unknown) => void;
type ErrorHandler = (
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  next: Next,
) => void;

/** A router for Express 5 and 4, Connect, Fastify, or as the whole of `http.createServer`. */
export interface Router {
  /** Without `next` there is no other handler, so other paths are answered 404. */
  (request: IncomingMessage, response: ServerResponse, next?: Next): void;
  /**
   * Answers a request whose body the host's parser could not read. `app.use(router)` mounts it too;
   * in an `express.Router()`, mount it after the router: `routes.use(router, router.bodyErrors)`.
   */
  readonly bodyErrors: ErrorHandler;
}

/** The facts about a request besides the request itself. */
export interface Mounted {
  /** Whether there is nobody to pass the request on to. */
  readonly isAlone: boolean;
  /** Whether Express mounted the router at a path that is not that of the app it stands in. */
  readonly hasOwnPath: boolean;
  /** What a parser of the host's left when it failed. */
  readonly hostBody?: NonNullable<ReturnType<typeof hostErrorBody>>;
}

/** Handles a request. @returns false if its path is not of this router */
type Take = (request: IncomingMessage, response: ServerResponse, mounted: Mounted) => boolean;

/** The part of an Express application that a router is mounted in. */
interface Parent {
  use(path: unknown, handler: ErrorHandler): unknown;
}

/** Where Express writes to which path it mounted an application. */
interface Application {
  mountpath: unknown;
}

/**
 * Makes one function of a router. Express gives errors of parsers to functions of four parameters
 * only, so it needs a second one. Express tells what has `handle` and `set`, as an application of
 * its own has, where it was mounted, and the second one is put right behind the first.
 */
export function mountedRouter(take: Take): Router {
  let hasOwnPath = false;
  const route = (request: IncomingMessage, response: ServerResponse, next?: Next): void => {
    if (!take(request, response, { isAlone: next === undefined, hasOwnPath })) next?.();
  };
  const bodyErrors: ErrorHandler = (error, request, response, next) => {
    const hostBody = hostErrorBody(error);
    const isBody = hostBody !== undefined;
    const isTaken = isBody && take(request, response, { isAlone: false, hasOwnPath, hostBody });
    if (!isTaken) next(error);
  };
  const router: Router & Application = Object.assign(route, {
    mountpath: '/',
    handle: (...call: Parameters<typeof route>) => route(...call),
    set: () => undefined,
    emit(event: string, parent: Parent) {
      if (event !== 'mount') return;
      // The same router may be mounted again, at the root.
      hasOwnPath ||= router.mountpath !== '/';
      parent.use(router.mountpath, bodyErrors);
    },
    bodyErrors,
  });
  return router;
}
