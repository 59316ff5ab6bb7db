import { type Call, PaymountError } from '@paymount/core/kernel';
import { isTree, type Tree } from '../body/tree.ts';
import { jsonSizeOfAll } from '../json-size.ts';
import type { Branch, Expansion } from './expand.ts';

/** The largest answer to a read whose ids were expanded, in bytes. */
const MAX_READ_BYTES = 8_388_608;
/** The largest answer to a change: it is stored under its idempotency key, and sent in one piece. */
const MAX_CHANGE_BYTES = 1_048_576;
/** The ids of one query, unless the target has its own limit. */
const KEYS_AT_ONCE = 100;

/**
 * Replaces ids by their objects: one query per field and level for up to a hundred of them, for any
 * number of resources and of lists in them. An object is read and made once, however often it is
 * named. Objects that are already expanded stay as they are. It stops as soon as the answer would
 * become too large, before more is read.
 * @throws PaymountError `response_too_large` for more than 8 MiB
 */
export async function expandResource(
  call: Call,
  resource: object,
  expansion: Expansion,
): Promise<object> {
  if (!isTree(resource)) return resource;
  const expanded = await expand({ call, maxBytes: MAX_READ_BYTES }, resource, expansion);
  if (expanded === 'too large') throw tooLarge(resource);
  return expanded;
}

/**
 * The same for the answer to a change, which is done: nothing may be refused any more. If the
 * answer would have more than 1 MiB, the ids stay.
 */
export async function expandChanged(
  call: Call,
  resource: object,
  expansion: Expansion,
): Promise<object> {
  if (!isTree(resource)) return resource;
  const expanded = await expand({ call, maxBytes: MAX_CHANGE_BYTES }, resource, expansion);
  return expanded === 'too large' ? resource : expanded;
}

/** What is the same for all levels of one answer. */
interface Answer {
  readonly call: Call;
  readonly maxBytes: number;
}

type Expanded = readonly Tree[] | 'too large';

async function expand(
  answer: Answer,
  resource: Tree,
  expansion: Expansion,
): Promise<Tree | 'too large'> {
  const expanded = await expandAll(answer, [resource], expansion);
  return expanded === 'too large' ? expanded : (expanded[0] ?? resource);
}

/** All resources are in the answer, at least once, so that their bytes are a part of its bytes. */
async function expandAll(
  answer: Answer,
  resources: readonly Tree[],
  expansion: Expansion,
): Promise<Expanded> {
  let expanded = resources;
  for (const [field, branch] of expansion) {
    const next = await expandField(answer, expanded, field, branch);
    if (next === 'too large') return next;
    expanded = next;
  }
  return (await isTooLarge(answer, expanded)) ? 'too large' : expanded;
}

async function isTooLarge({ maxBytes }: Answer, resources: readonly object[]): Promise<boolean> {
  return (await jsonSizeOfAll(resources, maxBytes)) > maxBytes;
}

function expandField(
  answer: Answer,
  resources: readonly Tree[],
  field: string,
  branch: Branch,
): Promise<Expanded> {
  const { target } = branch;
  if ('items' in target) return expandItems(answer, resources, field, branch);
  if ('part' in target) return expandParts(answer, resources, field, branch);
  return expandIds(answer, resources, field, { ...branch, target });
}

async function expandItems(
  answer: Answer,
  resources: readonly Tree[],
  field: string,
  { children }: Branch,
): Promise<Expanded> {
  const lists = resources.map((list) => itemsOf(list[field]));
  const items = await expandAll(answer, lists.flat(), children);
  if (items === 'too large') return items;
  let end = 0;
  return resources.map((list, index) => {
    const from = end;
    end += lists[index]?.length ?? 0;
    return { ...list, [field]: items.slice(from, end) };
  });
}

function itemsOf(list: unknown): readonly Tree[] {
  return Array.isArray(list) ? list.filter(isTree) : [];
}

async function expandParts(
  answer: Answer,
  resources: readonly Tree[],
  field: string,
  { children }: Branch,
): Promise<Expanded> {
  const parts = resources.map((resource) => resource[field]).filter(isTree);
  const expanded = await expandAll(answer, parts, children);
  if (expanded === 'too large') return expanded;
  const byPart = new Map(parts.map((part, index) => [part, expanded[index]]));
  return resources.map((resource) => {
    const part = resource[field];
    return isTree(part) ? { ...resource, [field]: byPart.get(part) } : resource;
  });
}

/** A branch whose field has an id. */
type IdBranch = Branch & { readonly target: Extract<Branch['target'], { load: unknown }> };

async function expandIds(
  answer: Answer,
  resources: readonly Tree[],
  field: string,
  { target, children }: IdBranch,
): Promise<Expanded> {
  const readKey = (resource: Tree): unknown => {
    if (isTree(resource[field])) return undefined;
    return target.readKey === undefined ? resource[field] : target.readKey(resource);
  };
  const keys = new Set(resources.map(readKey).filter((key) => typeof key === 'string'));
  const loaded = await loadAll(answer, target, [...keys]);
  if (loaded === 'too large') return loaded;
  const targets = await expandAll(answer, [...loaded.values()].filter(isTree), children);
  if (targets === 'too large') return targets;
  const byKey = new Map([...loaded.keys()].map((key, index) => [key, targets[index]]));
  return resources.map((resource) => {
    const key = readKey(resource);
    const found = typeof key === 'string' ? byKey.get(key) : undefined;
    return found === undefined ? resource : { ...resource, [field]: found };
  });
}

async function loadAll(
  answer: Answer,
  { load, keysAtOnce = KEYS_AT_ONCE }: IdBranch['target'],
  keys: readonly string[],
): Promise<ReadonlyMap<string, object> | 'too large'> {
  const loaded = new Map<string, object>();
  for (let from = 0; from < keys.length; from += keysAtOnce) {
    const found = await load(answer.call, keys.slice(from, from + keysAtOnce));
    for (const [key, resource] of found) loaded.set(key, resource);
    if (await isTooLarge(answer, [...loaded.values()])) return 'too large';
  }
  return loaded;
}

function tooLarge({ object }: Tree): PaymountError {
  const limit = MAX_READ_BYTES.toLocaleString('en-US');
  const found = `With what \`expand\` adds, the answer would have more than ${limit} bytes.`;
  return object === 'list'
    ? new PaymountError(
        'response_too_large',
        `${found} Send a smaller \`limit\`, or expand fewer fields.`,
        { param: 'limit' },
      )
    : new PaymountError(
        'response_too_large',
        `${found} Expand fewer fields, and request the others by themselves.`,
        { param: 'expand' },
      );
}
