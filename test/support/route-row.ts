import { ADMIN_ID_PREFIXES, type AdminBelongings } from './admin-setup.ts';
import { type Belongings, ID_PREFIXES } from './owned-objects.ts';

/** What tests know of a route besides its name, its operation and what it demands. */
interface Facts<Own> {
  /** What the id in its path names. */
  readonly of?: keyof Own;
  /** For lists: what is in it, which `starting_after` and `ending_before` name. */
  readonly lists?: keyof Own;
  /** A body that makes the route do its work. @defaultValue no parameters */
  readonly body?: (own: Own, livemode: boolean) => object;
}

/** The facts of a route of `/v1`. */
interface V1Facts extends Facts<Belongings> {
  /** What a GET must send, beyond its path. */
  readonly query?: (own: Belongings) => string;
  /** Browsers may use it with a publishable key. */
  readonly publishable?: true;
  /** Live refuses it, with 400. */
  readonly testOnly?: true;
  /** Another scope that suffices. */
  readonly orNeeds?: string;
  /** It shows events, so its scope alone is not enough: those that read their objects are needed too. */
  readonly readsEvents?: true;
  /** What a secret key gets for `body`. @defaultValue 200 */
  readonly answer?: string;
  /** Parameters whose text names an object. */
  readonly ids?: Readonly<Record<string, IdParameter>>;
}

interface IdParameter {
  /** The kinds of the object. */
  readonly of: readonly (keyof Belongings)[];
  /** What else is sent, by somebody who owns these. */
  readonly with?: object | ((own: Belongings) => object);
  /** The status for an id that names nothing. @defaultValue 200 for a GET, otherwise 400 */
  readonly status?: 400 | 404;
}

/** The facts of a route of the management API. */
interface ManagementFacts extends Facts<AdminBelongings> {
  /** In live, the administrator must have logged in within the last ten minutes. */
  readonly freshLogin?: true;
  /** A token of an administrator serves for one such call. */
  readonly tokenOnce?: true;
  /** Makes something for an account that the body names, instead of changing what the path names. */
  readonly makes?: true;
  /** Live has no such object. */
  readonly testOnly?: true;
  /** Concerns an account as a whole, in both environments. */
  readonly spans?: true;
  /** For writes: the actions of the audit entries that one call writes, in alphabetical order. */
  readonly audits?: readonly string[];
  /** Parameters whose text names an object, and the answer if the administrator may not see it. */
  readonly ids?: Readonly<
    Record<string, { readonly of: keyof AdminBelongings; readonly answer: 'none' | 'missing' }>
  >;
}

/** One route, written by hand apart from the code that serves it. */
interface Named {
  /** `POST /v1/charges/{id}` */
  readonly name: string;
  readonly method: string;
  readonly pattern: string;
  /** The pattern with ids that have the right form and name nothing. */
  readonly path: string;
  /** The name of its operation in the OpenAPI document. */
  readonly operation: string;
  /**
   * The scope or the permission. `secret_key`: only secret keys; `none`: every administrator.
   */
  readonly needs: string;
}

export type V1Route = V1Facts & Named;
export type ManagementRoute = ManagementFacts & Named;

/** A row of the table of `/v1`. @throws Error if it does not say what its id names */
export function v1(name: string, operation: string, needs: string, facts: V1Facts = {}): V1Route {
  return { ...facts, ...toNamed(name, facts.of), operation, needs };
}

/** A row of the table of the management API. @throws Error if it does not say what its id names */
export function management(
  name: string,
  operation: string,
  needs: string,
  facts: ManagementFacts = {},
): ManagementRoute {
  return { ...facts, ...toNamed(name, facts.of), operation, needs };
}

/** The name of a parameter as a form writes it: of a list, the first entry. */
export function inForm(parameter: string): string {
  return parameter.replaceAll('[]', '[0]');
}

/** What a caller sends besides the parameter that names an object. */
export function sentWith({ with: more = {} }: Pick<IdParameter, 'with'>, own: Belongings): object {
  return typeof more === 'function' ? more(own) : more;
}

/** Finds a route by its name. @throws Error if the table has no such route */
export function routeNamed<Route extends Named>(routes: readonly Route[], name: string): Route {
  const found = routes.find((route) => route.name === name);
  if (found === undefined) throw new Error(`The table of routes has no ${name}.`);
  return found;
}

/** The path of a route of `/v1` to an object that somebody owns, with the query that it needs. */
export function pathTo({ pattern, of, query }: V1Route, own: Belongings): string {
  const path = fillPattern(pattern, own[of ?? 'charge'] ?? '', own);
  return query === undefined ? path : `${path}?${query(own)}`;
}

/**
 * A pattern with ids: a refund is below its charge, a saved payment method and a move of the balance
 * below their customer, and a bank account below its account.
 */
export function fillPattern(
  pattern: string,
  id: string,
  {
    account,
    balanceMove,
    refund,
    saved,
  }: Pick<Belongings, 'account' | 'balanceMove' | 'refund' | 'saved'>,
): string {
  return pattern
    .replace('{id}', pattern.includes('{external}') ? account : id)
    .replace('{external}', id)
    .replace('{refund}', refund)
    .replace('{payment_method}', saved)
    .replace('{transaction}', balanceMove);
}

/** The prefix of the ids of each kind. */
const PREFIXES = { ...ID_PREFIXES, ...ADMIN_ID_PREFIXES };

type Kind = keyof typeof PREFIXES;

/** Of each kind, an id that has the right form and names nothing. */
export const UNKNOWN_IDS = Object.fromEntries(
  Object.entries(PREFIXES).map(([kind, prefix]) => [kind, `${prefix}_${'0'.repeat(26)}`]),
) as Readonly<Record<Kind, string>>;

function toNamed(name: string, of?: Kind) {
  const [method = '', pattern = ''] = name.split(' ');
  if (pattern.includes('{id}') && of === undefined) {
    throw new Error(`${name} does not say what its id names.`);
  }
  const path = fillPattern(pattern, UNKNOWN_IDS[of ?? 'charge'], UNKNOWN_IDS);
  return { name, method, pattern, path };
}
