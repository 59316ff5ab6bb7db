import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NOT_FOUND = 3;
const SERVER_FAILURE = 2;

/** What a name means: addresses, a failure, or no answer at all. */
export type NameAnswer =
  | { readonly ipv4?: readonly string[]; readonly ipv6?: readonly Uint8Array[] }
  | 'not_found'
  | 'failure'
  | 'silence';

export interface NameServer {
  /** `127.0.0.1:<port>` */
  readonly address: string;
  close(): void;
}

/** A name server on loopback that knows these names and no others (RFC 1035, UDP only). */
export async function startNameServer(
  names: Readonly<Record<string, NameAnswer>>,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const answer = names[name] ?? 'not_found';
    if (answer === 'silence') return;
    socket.send(replyTo(query.subarray(0, end), answer, type), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    close: () => socket.close(),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString('latin1'));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function replyTo(question: Buffer, answer: Exclude<NameAnswer, 'silence'>, type: number): Buffer {
  const head = Buffer.from(question.subarray(0, 12));
  const code = answer === 'not_found' ? NOT_FOUND : answer === 'failure' ? SERVER_FAILURE : 0;
  const records = typeof answer === 'string' ? [] : toRecords(answer, type);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, question.subarray(12), ...records]);
}

function toRecords(answer: Exclude<NameAnswer, string>, type: number): Buffer[] {
  const ipv4 = (answer.ipv4 ?? []).map((address) =>
    Uint8Array.from(address.split('.').map(Number)),
  );
  const data = type === TYPE_A ? ipv4 : type === TYPE_AAAA ? (answer.ipv6 ?? []) : [];
  return data.map((bytes) => {
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(0, 6);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, bytes]);
  });
}
