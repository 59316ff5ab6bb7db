import { authorizeRoute, type RouteAccess } from '@paymount/auth';
import { type Call, PaymountError, type Principal } from '@paymount/core/kernel';
import { z } from 'zod';
import { isTree, newTree, type Tree } from '../body/tree.ts';
import { shownText } from '../shown-text.ts';

const MAX_DEPTH = 4;
const MAX_PATHS = 20;
const MAX_SHOWN = 100;

/** The target of an expandable field. */
export type Target =
  | {
      /** The scope that reads the target; expanding must not show more than a separate request. */
      readonly scope: RouteAccess['scope'];
      /** Finds the id of the target in a resource. @defaultValue the value of the field */
      readonly readKey?: (resource: Tree) => unknown;
      /** One query for all; an id that is not found stays. */
      readonly load: (call: Call, keys: readonly string[]) => Promise<ReadonlyMap<string, object>>;
      /** The most keys of one query, because a key may have many objects. @defaultValue 100 */
      readonly keysAtOnce?: number;
      /** A function, because resources refer to each other. */
      readonly next?: () => Expandable;
    }
  /** The `data` of a list: nothing is loaded, the path continues in each item. */
  | { readonly items: () => Expandable }
  /** An object that is part of the resource: nothing is loaded, the path continues in it. */
  | { readonly part: () => Expandable }
  /**
   * A field that is always null so far: there is nothing to expand, whatever the rest of the path
   * is.
   */
  | { readonly always: null };

/** The expandable fields of a resource. */
export type Expandable = Readonly<Record<string, Target>>;

/** The paths of one request, merged into a tree by field. */
export type Expansion = ReadonlyMap<string, Branch>;

/** One field of the tree, and the fields of what it names. */
export interface Branch {
  readonly target: Exclude<Target, { readonly always: null }>;
  readonly children: Map<string, Branch>;
}

/** The same fields in a list of such resources: `data.payment_method`. */
export function inList(expandable: Expandable): Expandable {
  return { data: { items: () => expandable } };
}

/** The fields of a resource that are always null so far: Stripe's SDKs may expand them. */
export function nullFields({ shape }: z.ZodObject): Expandable {
  const names = Object.keys(shape).filter((name) => shape[name] instanceof z.ZodNull);
  return Object.fromEntries(names.map((name) => [name, { always: null }]));
}

/**
 * Removes `expand` from the parameters.
 * @throws PaymountError `expand_invalid` for a path that is unknown or deeper than 4;
 *   `insufficient_scope` if the principal may not read the target
 */
export function readExpansion(
  tree: Tree,
  expandable: Expandable | undefined,
  principal: Principal,
): { readonly expansion?: Expansion; readonly expand: readonly string[]; readonly tree: Tree } {
  if (!Object.hasOwn(tree, 'expand')) return { expand: [], tree };
  const { expand: sent, ...rest } = tree;
  const expand = parsePaths(sent);
  const expansion = new Map<string, Branch>();
  for (const path of expand) addPath(expansion, path, expandable ?? {}, principal);
  return { expansion, expand, tree: Object.assign(newTree(), rest) };
}

function parsePaths(expand: unknown): readonly string[] {
  const values = isTree(expand) ? Object.values(expand) : [expand].flat();
  if (values.length > MAX_PATHS) refuse(`At most ${MAX_PATHS} paths are expanded at once.`);
  return values.map((value) =>
    typeof value === 'string' ? value : refuse('`expand` is an array of paths.'),
  );
}

function addPath(
  root: Map<string, Branch>,
  path: string,
  expandable: Expandable,
  principal: Principal,
): void {
  const fields = path.split('.', MAX_DEPTH + 1);
  if (fields.length > MAX_DEPTH) refuse(`A path in \`expand\` has at most ${MAX_DEPTH} fields.`);
  let branches = root;
  let known = expandable;
  for (const field of fields) {
    const target = Object.hasOwn(known, field) ? known[field] : undefined;
    if (target === undefined) refuse(`"${shownText(path, MAX_SHOWN)}" cannot be expanded here.`);
    if ('always' in target) return;
    if ('scope' in target) authorizeRoute(principal, target);
    const branch = branches.get(field) ?? { target, children: new Map<string, Branch>() };
    branches.set(field, branch);
    branches = branch.children;
    known = nextFields(target);
  }
}

function nextFields(target: Branch['target']): Expandable {
  if ('items' in target) return target.items();
  if ('part' in target) return target.part();
  return target.next?.() ?? {};
}

function refuse(message: string): never {
  throw new PaymountError('expand_invalid', message, { param: 'expand' });
}
