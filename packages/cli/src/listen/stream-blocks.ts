import { StringDecoder } from 'node:string_decoder';

/** One block of a stream of server-sent events (WHATWG HTML, 9.2.6). */
export interface Block {
  readonly id?: string;
  /** @defaultValue message */
  readonly event?: string;
  readonly data?: string;
  readonly retryMs?: number;
}

/** An event has up to 256 KiB. */
const MAX_BLOCK = 2 ** 20;
const RETRY = /^\d{1,6}$/;

/** Parses blocks from bytes; keeps an incomplete block. */
export class StreamBlocks {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #lines: string[] = [];
  #size = 0;

  /** @throws Error for a block of more than a mebibyte */
  read(bytes: Buffer): readonly Block[] {
    const blocks: Block[] = [];
    const [first = '', ...others] = this.#decoder.write(bytes).split('\n');
    // Searches only the new bytes, because a long line arrives in many pieces.
    const lines = [this.#rest + first, ...others];
    this.#rest = lines.pop() ?? '';
    for (const each of lines) {
      const line = each.endsWith('\r') ? each.slice(0, -1) : each;
      this.#size += line.length;
      if (line !== '') this.#lines.push(line);
      else if (this.#lines.length > 0) {
        blocks.push(parseBlock(this.#lines));
        this.#lines = [];
        this.#size = 0;
      }
    }
    if (this.#rest.length + this.#size > MAX_BLOCK)
      throw new Error('the stream sent too much data');
    return blocks;
  }
}

function parseBlock(lines: readonly string[]): Block {
  const data = toValues(lines, 'data');
  const id = toValues(lines, 'id').at(-1);
  const event = toValues(lines, 'event').at(-1);
  const retry = toValues(lines, 'retry').at(-1);
  return {
    ...(data.length > 0 && { data: data.join('\n') }),
    ...(id !== undefined && { id }),
    ...(event !== undefined && { event }),
    ...(retry !== undefined && RETRY.test(retry) && { retryMs: Number(retry) }),
  };
}

/** Values of all lines of one name; a comment's name is empty. */
function toValues(lines: readonly string[], name: string): readonly string[] {
  return lines
    .filter((line) => line === name || line.startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).replace(/^ /, ''));
}
