/** Types of messages, by their first byte (PostgreSQL: Message Formats). */
const QUERY = 'Q'.charCodeAt(0);
const SYNC = 'S'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);
/** A message has a type, and a length that includes itself. */
const LENGTH_AT = 1;
const LENGTH_BYTES = 4;

/** A message of the simple protocol. */
export function simpleQuery(text: string): Buffer {
  return encodeMessage('Q', `${text}\0`);
}

/** The server is ready, and in no transaction. */
export const READY_IDLE: Buffer = encodeMessage('Z', 'I');

/**
 * An error response of a server.
 * @param severity ERROR, after which the client may continue, or FATAL
 * @param code an SQLSTATE
 */
export function errorResponse(
  severity: 'ERROR' | 'FATAL',
  { code, message }: { readonly code: string; readonly message: string },
): Buffer {
  return encodeMessage('E', `S${severity}\0V${severity}\0C${code}\0M${message}\0\0`);
}

/** Whether a client terminates the session. */
export function isTerminate(messages: Buffer): boolean {
  return messages[0] === TERMINATE;
}

/** Whether the last message of a server says that it is ready and not in a transaction. */
export function endsIdle(answer: Buffer): boolean {
  let idle = false;
  for (const { type, at } of messagesIn(answer)) {
    idle = type === READY_FOR_QUERY && answer[at + LENGTH_AT + LENGTH_BYTES] === IDLE;
  }
  return idle;
}

/**
 * Whether a client waits for ReadyForQuery after these messages; they contain no startup message.
 */
export function awaitsReady(messages: Buffer): boolean {
  return messagesIn(messages).some(({ type }) => type === QUERY || type === SYNC);
}

function messagesIn(bytes: Buffer): { readonly type: number | undefined; readonly at: number }[] {
  const found: { type: number | undefined; at: number }[] = [];
  let at = 0;
  while (at + LENGTH_AT + LENGTH_BYTES <= bytes.length) {
    found.push({ type: bytes[at], at });
    at += LENGTH_AT + bytes.readUInt32BE(at + LENGTH_AT);
  }
  return found;
}

function encodeMessage(type: string, text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(LENGTH_AT + LENGTH_BYTES);
  head.write(type);
  head.writeUInt32BE(body.length + LENGTH_BYTES, LENGTH_AT);
  return Buffer.concat([head, body]);
}
