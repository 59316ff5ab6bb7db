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
  /** Without `next` there is no other handler, so other paths get 404. */
  (request: IncomingMessage, response: ServerResponse, next?: Next): void;
  /**
   * Responds to a request whose body the host's parser could not read. `app.use(router)` mounts it
   * too; in an `express.Router()`, mount it after the router: `routes.use(router,
   * router.bodyErrors)`.
   */
  readonly bodyErrors: ErrorHandler;
}

/** The facts about a request besides the request itself. */
export interface Mounted {
  /** Whether there is no other handler for the request. */
  readonly isAlone: boolean;
  /** Whether Express mounted the router at another path than that of its app. */
  readonly hasOwnPath: boolean;
  /** The body that the host's parser left when it failed. */
  readonly hostBody?: NonNullable<ReturnType<typeof hostErrorBody>>;
}

/** Handles a request. @returns false if the path does not belong to this router */
type Take = (request: IncomingMessage, response: ServerResponse, mounted: Mounted) => boolean;

/** The part that we use of the Express application in which a router is mounted. */
interface Parent {
  use(path: unknown, handler: ErrorHandler): unknown;
}

/** The member in which Express stores the path of a mounted application. */
interface Application {
  mountpath: unknown;
}

/**
 * Turns a router into one function. Express passes errors of parsers only to functions with four
 * parameters, so a second function is needed. Express tells any handler with `handle` and `set`,
 * like an application of its own, where it was mounted; the second function is then mounted right
 * after the first.
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
