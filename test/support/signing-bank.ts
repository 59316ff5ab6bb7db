import { createHmac } from 'node:crypto';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import type { ProcessorFixtures } from '@paymount/testing';
import type { Notice, NoticeSource } from 'paymount/processor';
import type { SharedMemory } from './operation-memory.ts';
import { sandboxNotices } from './sandbox-notices.ts';

const sign = (body: Uint8Array): string => createHmac('sha256', 'k').update(body).digest('hex');

type Request = Extract<NoticeSource, { readonly body: Buffer }>;

/** What becomes of a notice on its way: anything, as in an adapter without types. */
export type MangleNotice = (notice: Notice) => unknown;

/** A bank that decides as the sandbox does, and sends its notices in signed requests. */
export class SigningBank extends SandboxProcessor {
  override async *ingest(source: NoticeSource): AsyncIterable<Notice> {
    if ('file' in source) throw new Error('This bank has no files.');
    this.check(source);
    yield* this.read(source);
  }

  check({ headers, body }: Request): void {
    if (headers['x-signature'] !== sign(body)) throw new Error('The signature is wrong.');
  }

  read({ body }: Request): AsyncIterable<Notice> {
    return super.ingest({ file: inOnePiece(body) });
  }
}

/** The bytes of a file. */
export async function* inOnePiece(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** The class of such a bank whose adapter reads notices carelessly. */
export function mangling(mangle: MangleNotice): typeof SigningBank {
  return class extends SigningBank {
    override async *ingest(source: NoticeSource): AsyncIterable<Notice> {
      for await (const notice of super.ingest(source)) {
        const made = mangle(notice);
        yield* (Array.isArray(made) ? made : [made]) as Notice[];
      }
    }
  };
}

/** How such a bank sends its notices. */
export function signedNotices(
  memory: SharedMemory,
  bank: () => SandboxProcessor,
): NonNullable<ProcessorFixtures['notices']> {
  const files = Object.entries(sandboxNotices(memory, bank));
  const requests = files.map(([kind, { report, ...of }]) => [
    kind,
    {
      ...of,
      async report(about: Parameters<typeof report>[0]) {
        const sent = await report(about);
        const body = Buffer.from('file' in sent ? sent.file : sent.body);
        return { headers: { 'x-signature': sign(body) }, body };
      },
    },
  ]);
  return Object.fromEntries(requests);
}
