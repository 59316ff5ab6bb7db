import { PaymountError } from '@paymount/core';
import type { Method, PathValues, Route } from './route.ts';

/** A route and the variable parts of the path that led to it. */
export interface Match {
  readonly route: Route;
  readonly path: PathValues;
}

/** One step of all paths: what may follow literally, what as an id, which methods end here. */
interface Node {
  readonly literals: Map<string, Node>;
  id: Node | undefined;
  readonly methods: Map<Method, Route>;
}

const MAX_SEGMENTS = 8;
const NO_PATH: PathValues = { id: '' };

/** Finds the route of a request; exact in case, slashes and dots. */
export class RouteIndex {
  readonly #root: Node = newNode();

  /** @throws Error when two routes have one method and path */
  constructor(routes: Iterable<Route>) {
    for (const route of routes) {
      let node = this.#root;
      for (const segment of route.pattern.slice(1).split('/')) node = childOf(node, segment);
      if (node.methods.has(route.method)) {
        throw new Error(`${route.method} ${route.pattern} is declared twice.`);
      }
      node.methods.set(route.method, route);
    }
  }

  /**
   * @param pathname as it stands in the target, still percent-encoded
   * @throws PaymountError `route_missing`, or `method_not_allowed` with `allowed_methods`
   */
  find(method: string, pathname: string): Match {
    const found = this.#walk(pathname);
    if (found === undefined || found.node.methods.size === 0) {
      throw new PaymountError('route_missing');
    }
    const { methods } = found.node;
    const route = methods.get(toMethod(method) ?? 'GET');
    if (route === undefined || toMethod(method) === undefined) {
      const allowed = [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : [])];
      throw new PaymountError(
        'method_not_allowed',
        // The pattern, never the path: it may hold a key that was put into an address.
        `${[...methods.values()][0]?.pattern} takes ${allowed.join(', ')}.`,
        { extra: { allowed_methods: allowed } },
      );
    }
    return { route, path: found.path };
  }

  /** Whether any route of a path may be used with a publishable key: those that browsers call. */
  isPublishable(pathname: string): boolean {
    return this.#walk(pathname)?.node.methods.get('POST')?.facts.publishable === true;
  }

  #walk(pathname: string): { readonly node: Node; readonly path: PathValues } | undefined {
    let node = this.#root;
    let path = NO_PATH;
    for (const segment of pathname.slice(1).split('/', MAX_SEGMENTS)) {
      const literal = node.literals.get(segment);
      if (literal !== undefined) {
        node = literal;
        continue;
      }
      const id = decode(segment);
      if (node.id === undefined || id === '') return undefined;
      path = { id };
      node = node.id;
    }
    return { node, path };
  }
}

function newNode(): Node {
  return { literals: new Map(), id: undefined, methods: new Map() };
}

function childOf(node: Node, segment: string): Node {
  if (segment.startsWith(':')) {
    node.id ??= newNode();
    return node.id;
  }
  const child = node.literals.get(segment) ?? newNode();
  node.literals.set(segment, child);
  return child;
}

/** HEAD is GET without a body. */
function toMethod(method: string): Method | undefined {
  if (method === 'HEAD') return 'GET';
  return method === 'GET' || method === 'POST' || method === 'DELETE' ? method : undefined;
}

/** @returns an empty text for what is not percent-encoded UTF-8: it names nothing */
function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
