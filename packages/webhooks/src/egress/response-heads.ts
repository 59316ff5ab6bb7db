import { LENGTH, UnreadHead } from './unread-head.ts';

const NOTHING = Buffer.alloc(0);
/** A head that is not whole by then goes to the parser, which refuses it. */
const MAX_HEAD_BYTES = 16_384;

/**
 * What a connection received, in a form that undici's parser accepts. A client must accept more than that
 * parser does (RFC 9110, RFC 9112):
 * - informational responses before the final one, also a 100 that it did not ask for (RFC 9110, 15.2). They
 *   are left out here. A 101 is not one of them: nobody asked for another protocol.
 * - field lines that continue on the next line, which begins with a space (RFC 9112, 5.2)
 * - one length that is given several times (RFC 9112, 6.3)
 * - tabs around the value of a field (RFC 9110, 5.6.3)
 * - a later minor version of HTTP/1 (RFC 9110, 2.5)
 *
 * It may accept lines that end with a line feed alone (RFC 9112, 2.2), and does. Bodies are passed on as
 * they are.
 */
export class ResponseHeads {
  #isReading = false;
  #unread = new UnreadHead();
  #leftOut = 0;
  #passed: Buffer = NOTHING;

  /** What the parser got first: the head, or what stands in its place. */
  get passed(): Buffer {
    return this.#passed;
  }

  /** The bytes of informational responses since the request. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** A request is written next: what follows begins with the head of a response. */
  expect(): void {
    this.#isReading = true;
    this.#unread = new UnreadHead();
    this.#leftOut = 0;
    this.#passed = NOTHING;
  }

  /** @returns what the parser gets; empty while a head is incomplete */
  read(chunk: Buffer): Buffer {
    if (!this.#isReading) return chunk;
    this.#unread.add(chunk);
    for (;;) {
      const { bytes } = this.#unread;
      if (bytes.length === 0) return NOTHING;
      const head = mayBeHead(bytes) ? this.#unread.find() : 'none';
      if (head === undefined && bytes.length <= MAX_HEAD_BYTES) return NOTHING;
      this.#unread = new UnreadHead();
      if (head === undefined || head === 'none') return this.#pass(bytes);
      if (!isInformational(bytes)) {
        return this.#pass(head.needsRewriting ? rewritten(bytes, head.end) : bytes);
      }
      this.#leftOut += head.end;
      this.#unread.add(bytes.subarray(head.end));
    }
  }

  /** What follows the head is passed on as it is. */
  #pass(bytes: Buffer): Buffer {
    this.#isReading = false;
    this.#passed = bytes;
    return bytes;
  }

  /** The response was read, or given up. */
  forget(): void {
    this.#passed = NOTHING;
  }

  /** @returns the head that the end of the connection has cut, for the parser to refuse */
  end(): Buffer {
    const cut = this.#unread.bytes;
    this.#unread = new UnreadHead();
    return this.#isReading ? this.#pass(cut) : cut;
  }
}

/** Whether these bytes can be the beginning of a head; everything else is the parser's to refuse. */
function mayBeHead(bytes: Buffer): boolean {
  const start = 'HTTP/1.';
  return start.startsWith(bytes.toString('latin1', 0, start.length));
}

function isInformational(bytes: Buffer): boolean {
  return /^HTTP\/1\.\d 1(?!01)\d\d(?!\d)/.test(bytes.toString('latin1', 0, 16));
}

/** The same head in the only way that the parser accepts, and what follows it. */
function rewritten(bytes: Buffer, end: number): Buffer {
  const [statusLine = '', ...fields] = bytes
    .toString('latin1', 0, end)
    .split('\n')
    .slice(0, -2)
    .map((line) => line.replace(/\r$/, ''));
  const status = statusLine.replace(/^HTTP\/1\.[2-9] /, 'HTTP/1.1 ');
  const plain = unfolded(fields).map(withoutTabs);
  const lines = [status, ...withOneLength(plain), '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), bytes.subarray(end)]);
}

/** A line that begins with a space belongs to the field before it. */
function unfolded(lines: readonly string[]): readonly string[] {
  const fields: string[] = [];
  for (const line of lines) {
    const last = fields.pop();
    if (last === undefined) fields.push(line);
    else if (/^[ \t]/.test(line)) fields.push(`${last} ${line.trim()}`);
    else fields.push(last, line);
  }
  return fields;
}

/** Spaces and tabs around a value mean nothing. What is inside it stays. */
function withoutTabs(field: string): string {
  const colon = field.indexOf(':');
  if (colon === -1) return field;
  const isBlank = (at: number): boolean => field[at] === ' ' || field[at] === '\t';
  let from = colon + 1;
  let to = field.length;
  while (from < to && isBlank(from)) from += 1;
  while (to > from && isBlank(to - 1)) to -= 1;
  return `${field.slice(0, colon)}: ${field.slice(from, to)}`;
}

/** Several equal lengths become one; different ones are left for the parser to refuse. */
function withOneLength(fields: readonly string[]): readonly string[] {
  const lengthOf = (field: string): string | undefined => {
    const colon = field.indexOf(':');
    return field.slice(0, colon).toLowerCase() === LENGTH ? field.slice(colon + 1) : undefined;
  };
  const values = fields.flatMap((field) => lengthOf(field)?.split(',') ?? []).map((v) => v.trim());
  const [value = ''] = values;
  const isOne = /^\d+$/.test(value) && values.every((each) => each === value);
  if (values.length < 2 || !isOne) return fields;
  const others = fields.filter((field) => lengthOf(field) === undefined);
  return [...others, `Content-Length: ${value}`];
}
