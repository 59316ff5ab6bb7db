import { PaymountError } from '@paymount/core/kernel';
import { paramPath } from '../param-path.ts';
import { MAX_DEPTH, MAX_PARAMETERS, nestedTooDeeply } from './check-tree.ts';
import { isTree, newTree, type Tree } from './tree.ts';

/**
 * Parses `application/x-www-form-urlencoded` text, of a body or a query. Names nest by brackets;
 * `a[]=` appends, `a[0]=` stays a member named 0 (the schema makes an array of it), and a name that
 * is sent twice becomes an array of its values (the schema decides whether that is allowed).
 * @throws PaymountError `parameter_invalid`, naming the parameter
 */
export function parseForm(text: string): Tree {
  const form = new GrowingTree();
  if (text === '') return form.root;
  let count = 0;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    count += 1;
    if (count > MAX_PARAMETERS) throw tooMany();
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), undefined);
    form.insert(parsePath(name), equals < 0 ? '' : decode(pair.slice(equals + 1), name));
  }
  return form.root;
}

function tooMany(): PaymountError {
  return new PaymountError('parameter_invalid', `A form has at most ${MAX_PARAMETERS} parameters.`);
}

/**
 * Nests the flat names from a host's parser: `{ 'card[token]': 'tok_x' }`.
 * @throws PaymountError `parameter_invalid`
 */
export function nestFlatNames(tree: Tree): Tree {
  const names = Object.keys(tree);
  if (names.length > MAX_PARAMETERS) throw tooMany();
  if (!names.some((name) => name.includes('['))) return tree;
  const nested = new GrowingTree();
  for (const [name, value] of Object.entries(tree)) nested.insert(parsePath(name), value);
  return nested.root;
}

function decode(text: string, name: string | undefined): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new PaymountError(
      'parameter_invalid',
      `${name ?? 'The name of a parameter'} is not percent-encoded UTF-8.`,
      name === undefined ? {} : { param: paramPath(parsePath(name)) },
    );
  }
}

/** `card[exp_month]` is `card`, `exp_month`; a name with stray brackets stays as it is. */
function parsePath(name: string): readonly string[] {
  const open = name.indexOf('[');
  if (open <= 0 || !name.endsWith(']')) return [name];
  const inner = name.slice(open + 1, -1).split('][');
  if (inner.some((segment) => segment.includes('[') || segment.includes(']'))) return [name];
  return [name.slice(0, open), ...inner];
}

/** A tree that takes one value after the other; each costs as much as its path is long. */
class GrowingTree {
  readonly root = newTree();
  /**
   * The number of members of each node, because counting them for each empty segment would be slow.
   */
  readonly #sizes = new Map<object, number>([[this.root, 0]]);
  /** Values of names that were sent several times. */
  readonly #lists = new Set<unknown>();

  insert(path: readonly string[], value: unknown): void {
    if (path.length > MAX_DEPTH) throw nestedTooDeeply(path);
    let node = this.root;
    for (const segment of path.slice(0, -1)) node = this.#ensureChild(node, segment, path);
    const key = this.#keyIn(node, path.at(-1) ?? '');
    const present = node[key];
    if (present === undefined) this.#add(node, key, value);
    else if (isTree(present)) refuseBoth(path);
    else this.#append(node, key, value);
  }

  #ensureChild(
    node: Record<string, unknown>,
    segment: string,
    path: readonly string[],
  ): Record<string, unknown> {
    const key = this.#keyIn(node, segment);
    const child = node[key];
    if (child === undefined) {
      const made = newTree();
      this.#add(node, key, made);
      this.#sizes.set(made, 0);
      return made;
    }
    return isGrowing(child) ? child : refuseBoth(path);
  }

  /** An empty segment is the next index. */
  #keyIn(node: Tree, segment: string): string {
    return segment === '' ? `${this.#countMembers(node)}` : segment;
  }

  #add(node: Record<string, unknown>, key: string, value: unknown): void {
    this.#sizes.set(node, this.#countMembers(node) + 1);
    node[key] = value;
  }

  #countMembers(node: Tree): number {
    return this.#sizes.get(node) ?? Object.keys(node).length;
  }

  /** A host's parser may have made a list already; only our own lists are appended to. */
  #append(node: Record<string, unknown>, key: string, value: unknown): void {
    const present = node[key];
    if (Array.isArray(present) && this.#lists.has(present)) {
      if (Array.isArray(value)) for (const item of value) present.push(item);
      else present.push(value);
      return;
    }
    const list = [present, value].flat();
    this.#lists.add(list);
    node[key] = list;
  }
}

function isGrowing(child: unknown): child is Record<string, unknown> {
  return isTree(child);
}

function refuseBoth(path: readonly string[]): never {
  const param = paramPath(path);
  throw new PaymountError('parameter_invalid', `${param} was sent both with and without members.`, {
    param,
  });
}
