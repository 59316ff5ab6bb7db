import { PaymountError } from '@paymount/core/kernel';
import { isTree, type Tree } from './body/tree.ts';
import { Slices } from './slices.ts';
import type { WriteForm } from './stripe-form.ts';

/** The largest list whose ids were expanded, in bytes. */
const MAX_EXPANDED_BYTES = 8_388_608;

/** How an answer is written. */
export interface Rendering {
  /** The form that the reader needs. @defaultValue the resource unchanged */
  readonly form?: WriteForm;
  /** Whether ids were replaced by their objects, which limits the size of a list. */
  readonly isExpanded?: boolean;
}

/** A list, and its items. */
interface List {
  readonly list: Tree;
  readonly items: readonly unknown[];
}

/**
 * The JSON of a resource. A list is written item by item, with pauses in which other requests are
 * answered, because a hundred of the largest objects have 26 MB.
 * @throws PaymountError `response_too_large` for a list that `expand` makes larger than 8 MiB
 */
export async function renderJson(resource: object, rendering: Rendering = {}): Promise<Buffer> {
  const { form = asItIs } = rendering;
  const found = toList(resource);
  if (found === undefined) return Buffer.from(form(JSON.stringify(resource)));
  const pieces: Buffer[] = [];
  for (const [name, value] of Object.entries(found.list)) {
    if (value === undefined) continue;
    pieces.push(Buffer.from(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`));
    if (value === found.items) pieces.push(await renderItems(found.items, rendering));
    else pieces.push(Buffer.from(JSON.stringify(value)));
  }
  pieces.push(Buffer.from('}'));
  return Buffer.concat(pieces);
}

function toList(resource: object): List | undefined {
  if (!isTree(resource) || resource['object'] !== 'list') return undefined;
  const { data } = resource;
  return Array.isArray(data) ? { list: resource, items: data } : undefined;
}

async function renderItems(
  items: readonly unknown[],
  { form = asItIs, isExpanded = false }: Rendering,
): Promise<Buffer> {
  const slices = new Slices();
  const pieces: Buffer[] = [];
  let size = 0;
  for (const item of items) {
    const text = form(JSON.stringify(item));
    const piece = Buffer.from(`${pieces.length === 0 ? '[' : ','}${text}`);
    size += piece.length;
    if (isExpanded && size > MAX_EXPANDED_BYTES) throw tooLarge();
    pieces.push(piece);
    await slices.pause();
  }
  return Buffer.concat([...pieces, Buffer.from(items.length === 0 ? '[]' : ']')]);
}

function asItIs(text: string): string {
  return text;
}

function tooLarge(): PaymountError {
  return new PaymountError(
    'response_too_large',
    `With what \`expand\` adds, the answer would have more than ${MAX_EXPANDED_BYTES.toLocaleString('en-US')} bytes. Send a smaller \`limit\`, or expand fewer fields.`,
    { param: 'limit' },
  );
}
