import { PaymountError } from '@paymount/core/kernel';
import { isTree, type Tree } from './body/tree.ts';
import { knownJsonSize } from './json-size.ts';
import { Slices } from './slices.ts';
import type { WriteForm } from './stripe-form.ts';

/** The largest answer, in bytes: a caller may always have one in memory. */
export const MAX_ANSWER_BYTES = 33_554_432;
/** Smaller answers leave the process at once: they fit into what the system keeps for a connection. */
export const LARGE_ANSWER_BYTES = 65_536;

/** How an answer is written. */
export interface Rendering {
  /** The form that the reader needs. @defaultValue the resource unchanged */
  readonly form?: WriteForm;
  /**
   * Called for an answer of 64 KiB or more with the bytes of each part that was written; what it
   * throws ends the writing.
   */
  readonly take?: (bytes: number) => void;
}

/**
 * The JSON of a resource. Lists, and large resources within a resource, are written piece by piece,
 * with pauses in which other requests are answered, because a hundred of the largest objects have
 * 26 MB. Members that are written by themselves come last.
 * @throws PaymountError `response_too_large` for more than 32 MiB, and what `take` throws
 */
export async function renderJson(resource: object, rendering: Rendering = {}): Promise<Buffer> {
  const writer = new JsonWriter(resource, rendering);
  await writer.write(resource);
  return writer.read();
}

class JsonWriter {
  readonly #isList: boolean;
  readonly #form: WriteForm;
  readonly #take: (bytes: number) => void;
  readonly #slices = new Slices();
  readonly #pieces: Buffer[] = [];
  #size = 0;
  #taken = 0;

  constructor(resource: object, { form = asItIs, take = ignore }: Rendering) {
    this.#isList = isTree(resource) && resource['object'] === 'list';
    this.#form = form;
    this.#take = take;
  }

  read(): Buffer {
    const [piece] = this.#pieces;
    return this.#pieces.length === 1 && piece ? piece : Buffer.concat(this.#pieces);
  }

  async write(value: object): Promise<void> {
    if (Array.isArray(value)) await this.#writeItems(value);
    else if (isTree(value)) await this.#writeMembers(value);
    await this.#slices.pause();
  }

  async #writeItems(items: readonly object[]): Promise<void> {
    let sign = '[';
    for (const item of items) {
      this.#add(sign);
      await this.write(item);
      sign = ',';
    }
    this.#add(items.length === 0 ? '[]' : ']');
  }

  async #writeMembers(resource: Tree): Promise<void> {
    const members = Object.entries(resource);
    const apart = members.filter((member): member is [string, object] => isApart(...member));
    if (apart.length === 0) {
      this.#add(this.#form(JSON.stringify(resource)));
      return;
    }
    const rest = Object.fromEntries(members.filter(([name, value]) => !isApart(name, value)));
    const opened = this.#form(JSON.stringify(rest)).slice(0, -1);
    this.#add(opened);
    let sign = opened === '{' ? '' : ',';
    for (const [name, value] of apart) {
      this.#add(`${sign}${JSON.stringify(name)}:`);
      await this.write(value);
      sign = ',';
    }
    this.#add('}');
  }

  #add(text: string): void {
    const piece = Buffer.from(text);
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size > MAX_ANSWER_BYTES) throw tooLarge(this.#isList);
    if (this.#size < LARGE_ANSWER_BYTES) return;
    this.#take(this.#size - this.#taken);
    this.#taken = this.#size;
  }
}

/**
 * Whether a member is written by itself: resources in an array, and what was measured, because ids
 * were expanded, and is large. Metadata are the caller's, whatever they look like.
 */
function isApart(name: string, value: unknown): boolean {
  if (name === 'metadata') return false;
  if (Array.isArray(value)) return value.length > 0 && value.every(isResource);
  return isResource(value) && (knownJsonSize(value) ?? 0) > LARGE_ANSWER_BYTES;
}

/** A resource names its type, by which its form is known without what surrounds it. */
function isResource(value: unknown): value is Tree {
  return isTree(value) && typeof value['object'] === 'string';
}

function asItIs(text: string): string {
  return text;
}

function ignore(): void {}

function tooLarge(isList: boolean): PaymountError {
  const limit = MAX_ANSWER_BYTES.toLocaleString('en-US');
  const found = `The answer would have more than ${limit} bytes.`;
  if (!isList) return new PaymountError('response_too_large', found);
  return new PaymountError('response_too_large', `${found} Send a smaller \`limit\`.`, {
    param: 'limit',
  });
}
