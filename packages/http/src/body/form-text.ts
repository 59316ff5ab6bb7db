import { PaymountError } from '@paymount/core';
import { paramPath } from '../param-path.ts';
import { MAX_PARAMETERS } from './check-tree.ts';
import { isTree, newTree, type Tree } from './tree.ts';

/**
 * Parses `application/x-www-form-urlencoded` text, of a body or a query. Names nest by brackets;
 * `a[]=` counts up, `a[0]=` stays a member named 0 (the schema makes an array of it), and a name
 * that is sent twice becomes an array of its values (the schema judges whether it may).
 * @throws PaymountError `parameter_invalid`, naming the parameter
 */
export function parseForm(text: string): Tree {
  const root = newTree();
  if (text === '') return root;
  let count = 0;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    count += 1;
    if (count > MAX_PARAMETERS) {
      throw new PaymountError(
        'parameter_invalid',
        `A form has at most ${MAX_PARAMETERS} parameters.`,
      );
    }
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), undefined);
    insert(root, pathOf(name), equals < 0 ? '' : decode(pair.slice(equals + 1), name));
  }
  return root;
}

/** Nests the flat names that a host's parser left: `{ 'card[token]': 'tok_x' }`. */
export function nestFlatNames(tree: Tree): Tree {
  if (!Object.keys(tree).some((name) => name.includes('['))) return tree;
  const root = newTree();
  for (const [name, value] of Object.entries(tree)) insert(root, pathOf(name), value);
  return root;
}

function decode(text: string, name: string | undefined): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new PaymountError(
      'parameter_invalid',
      `${name ?? 'The name of a parameter'} is not percent-encoded UTF-8.`,
      name === undefined ? {} : { param: paramPath(pathOf(name)) },
    );
  }
}

/** `card[exp_month]` is `card`, `exp_month`; a name with stray brackets stays as it is. */
function pathOf(name: string): readonly string[] {
  const open = name.indexOf('[');
  if (open <= 0 || !name.endsWith(']')) return [name];
  const inner = name.slice(open + 1, -1).split('][');
  if (inner.some((segment) => segment.includes('[') || segment.includes(']'))) return [name];
  return [name.slice(0, open), ...inner];
}

function insert(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let node = root;
  for (const segment of path.slice(0, -1)) {
    const key = keyIn(node, segment);
    const child = node[key] ?? newTree();
    if (!isGrowing(child)) refuseBoth(path);
    node[key] = child;
    node = child;
  }
  const key = keyIn(node, path.at(-1) ?? '');
  const present = node[key];
  if (present === undefined) node[key] = value;
  else if (isTree(present)) refuseBoth(path);
  else node[key] = [present, value].flat();
}

/** An empty segment is the next index. */
function keyIn(node: Tree, segment: string): string {
  return segment === '' ? `${Object.keys(node).length}` : segment;
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
