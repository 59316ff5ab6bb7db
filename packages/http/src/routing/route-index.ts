import { PaymountError } from '@paymount/core/kernel';
import type { z } from 'zod';
import { NO_VALUES, type PathName, type PathValues, parsePathName } from './path-values.ts';
import type { Method } from './route-table.ts';

/** The facts about a route that are needed to find it. */
interface Row {
  readonly method: Method;
  readonly pattern: string;
  /** The parameters of its query or body. */
  readonly schema?: z.ZodObject;
}

/** A route and the variable parts of the path. */
export interface Match<Route> {
  readonly route: Route;
  readonly path: PathValues;
}

/** One node of all paths: literal segments, a variable segment, and the methods that end here. */
interface Node<Route> {
  readonly literals: Map<string, Node<Route>>;
  variable: { readonly name: PathName; readonly node: Node<Route> } | undefined;
  readonly methods: Map<Method, Route>;
}

const MAX_SEGMENTS = 8;
/** Words that cannot be part of a credential: another beginning, shorter, and without a digit. */
const WORD = /^(?:v1|(?!(?:sk|rk|pk|oat|ort|oac|ocs|whsec)_)[A-Za-z_.-]{0,24})$/i;
/** A path of Stripe's API that is not an id. */
const SEARCH = 'search';
/** Parameters that page through a list and do not filter it. */
const PAGING: ReadonlySet<string> = new Set(['limit', 'starting_after', 'ending_before']);

/** Finds the route of a request; exact in case, slashes and dots. */
export class RouteIndex<Route extends Row> {
  readonly #root: Node<Route> = newNode();

  /** @throws Error when two routes have one method and path */
  constructor(routes: Iterable<Route>) {
    for (const route of routes) {
      let node = this.#root;
      for (const segment of route.pattern.slice(1).split('/')) node = ensureChild(node, segment);
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
  find(method: string, pathname: string): Match<Route> {
    const found = this.#walk(pathname);
    if (found === undefined || found.node.methods.size === 0) throw this.#missing(pathname);
    const { methods } = found.node;
    const route = methods.get(toMethod(method) ?? 'GET');
    if (route === undefined || toMethod(method) === undefined) {
      const allowed = [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : [])];
      throw new PaymountError(
        'method_not_allowed',
        // The pattern, never the path, which could contain a key.
        `${[...methods.values()][0]?.pattern} takes ${allowed.join(', ')}.`,
        { extra: { allowed_methods: allowed } },
      );
    }
    return { route, path: found.path };
  }

  #missing(pathname: string): PaymountError {
    const message = `There is no route ${shownPath(pathname)}.`;
    const slashless = pathname.endsWith('/') ? this.#walk(pathname.slice(0, -1)) : undefined;
    const [meant] = slashless?.node.methods.values() ?? [];
    const hint = meant === undefined ? '' : ` Without the slash at its end it is ${meant.pattern}.`;
    return new PaymountError('route_missing', message + hint + this.#insteadOfSearch(pathname));
  }

  #insteadOfSearch(pathname: string): string {
    if (!pathname.endsWith(`/${SEARCH}`)) return '';
    const list = this.peek('GET', pathname.slice(0, -SEARCH.length - 1));
    const parameters = Object.keys(list?.schema?.shape ?? {});
    if (list === undefined || !parameters.includes('limit')) return '';
    const filters = parameters.filter((name) => !PAGING.has(name));
    const found = filters.length === 0 ? 'returns all of them' : `filters by ${filters.join(', ')}`;
    return ` There is no search; the list GET ${list.pattern} ${found}.`;
  }

  /** The route for this method and path, if there is one. */
  peek(method: Method, pathname: string): Route | undefined {
    return this.#walk(pathname)?.node.methods.get(method);
  }

  #walk(pathname: string): { readonly node: Node<Route>; readonly path: PathValues } | undefined {
    let node: Node<Route> = this.#root;
    let path = NO_VALUES;
    for (const segment of pathname.slice(1).split('/', MAX_SEGMENTS)) {
      const literal = node.literals.get(segment);
      if (literal !== undefined) {
        node = literal;
        continue;
      }
      const id = decode(segment);
      if (node.variable === undefined || id === '' || id === SEARCH) return undefined;
      path = { ...path, [node.variable.name]: id };
      node = node.variable.node;
    }
    return { node, path };
  }
}

/**
 * A path as an answer may repeat it. Parts that are more than a word are left out: they may be a
 * part of a key or a card number in the URL.
 */
function shownPath(pathname: string): string {
  const [, ...segments] = pathname.split('/', MAX_SEGMENTS + 2);
  const shown = segments.map((segment) => (WORD.test(segment) ? segment : '...'));
  return `/${shown.slice(0, MAX_SEGMENTS).join('/')}${segments.length > MAX_SEGMENTS ? '/...' : ''}`;
}

function newNode<Route>(): Node<Route> {
  return { literals: new Map(), variable: undefined, methods: new Map() };
}

function ensureChild<Route>(node: Node<Route>, segment: string): Node<Route> {
  const name = parsePathName(segment);
  if (name !== undefined) {
    node.variable ??= { name, node: newNode() };
    if (node.variable.name === name) return node.variable.node;
    throw new Error(`One part of a path is named both ${name} and ${node.variable.name}.`);
  }
  const child = node.literals.get(segment) ?? newNode<Route>();
  node.literals.set(segment, child);
  return child;
}

/** HEAD is GET without a body. */
function toMethod(method: string): Method | undefined {
  if (method === 'HEAD') return 'GET';
  return method === 'GET' || method === 'POST' || method === 'DELETE' ? method : undefined;
}

/** @returns an empty text if it is not percent-encoded UTF-8: no object has that id */
function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
