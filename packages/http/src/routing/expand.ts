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

interface Branch {
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

/**
 * Replaces ids by their objects: one query per field and level, for any number of resources and of
 * lists in them. An object is read and made once, however often it is named.
 * Objects that are already expanded stay as they are.
 */
export async function expandResource(
  call: Call,
  resource: object,
  expansion: Expansion,
): Promise<object> {
  if (!isTree(resource)) return resource;
  const [expanded] = await expandAll(call, [resource], expansion);
  return expanded ?? resource;
}

async function expandAll(
  call: Call,
  resources: readonly Tree[],
  expansion: Expansion,
): Promise<readonly Tree[]> {
  let expanded = resources;
  for (const [field, branch] of expansion)
    expanded = await expandField(call, expanded, field, branch);
  return expanded;
}

function itemsOf(list: unknown): readonly Tree[] {
  return Array.isArray(list) ? list.filter(isTree) : [];
}

async function expandField(
  call: Call,
  resources: readonly Tree[],
  field: string,
  { target, children }: Branch,
): Promise<readonly Tree[]> {
  if ('items' in target) {
    const lists = resources.map((list) => itemsOf(list[field]));
    const items = await expandAll(call, lists.flat(), children);
    let end = 0;
    return resources.map((list, index) => {
      const from = end;
      end += lists[index]?.length ?? 0;
      return { ...list, [field]: items.slice(from, end) };
    });
  }
  if ('part' in target) {
    const parts = resources.map((resource) => resource[field]).filter(isTree);
    const expanded = await expandAll(call, parts, children);
    const byPart = new Map(parts.map((part, index) => [part, expanded[index]]));
    return resources.map((resource) => {
      const part = resource[field];
      return isTree(part) ? { ...resource, [field]: byPart.get(part) } : resource;
    });
  }
  const readKey = (resource: Tree): unknown => {
    if (isTree(resource[field])) return undefined;
    return target.readKey === undefined ? resource[field] : target.readKey(resource);
  };
  const keys = new Set(resources.map(readKey).filter((key) => typeof key === 'string'));
  const loaded = keys.size === 0 ? new Map<string, object>() : await target.load(call, [...keys]);
  const targets = await expandAll(call, [...loaded.values()].filter(isTree), children);
  const byKey = new Map([...loaded.keys()].map((key, index) => [key, targets[index]]));
  return resources.map((resource) => {
    const key = readKey(resource);
    const found = typeof key === 'string' ? byKey.get(key) : undefined;
    return found === undefined ? resource : { ...resource, [field]: found };
  });
}
