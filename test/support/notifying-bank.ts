import type { PaymountOptions } from 'paymount';
import type { Notice, NoticeSource } from 'paymount/processor';
import request, { type Test } from 'supertest';
import { query } from './database.ts';
import { DoubtfulBank } from './doubtful-bank.ts';
import { eventually } from './eventually.ts';
import { type OperatorSetup, startSetupWith } from './operator-setup.ts';

const SIGNATURE = 'signed by the bank';
export const NOTICES_PATH = '/notices/bank';

/** A bank that also sends notices: a signed list as JSON, or a file with one on each line. */
export class NotifyingBank extends DoubtfulBank {
  /** Replaces what it reads; undefined: what was sent. */
  reading: ((source: NoticeSource) => AsyncIterable<unknown>) | undefined;

  override ingest(source: NoticeSource): AsyncIterable<Notice> {
    // Whatever an adapter yields is read as unknown.
    return (this.reading?.(source) ?? read(source)) as AsyncIterable<Notice>;
  }
}

async function* read(source: NoticeSource): AsyncIterable<unknown> {
  if ('file' in source) {
    let text = '';
    for await (const bytes of source.file) text += Buffer.from(bytes).toString();
    for (const line of text.trim().split('\n')) yield JSON.parse(line) as unknown;
    return;
  }
  if (source.headers['x-signature'] !== SIGNATURE) throw new Error('Signature 0xbad does not fit.');
  yield* JSON.parse(source.body.toString()) as readonly unknown[];
}

/** What a test says of a notice; the rest is filled in. */
export type SentNotice = Readonly<Record<string, unknown>> & { readonly kind: string };

/** A host whose bank sends notices, and all that its operators are told. */
export interface NoticeSetup extends OperatorSetup<NotifyingBank> {
  /** Sends notices as the bank does. */
  send(notices: readonly SentNotice[] | string, signature?: string): Test;
  /** Sends notices, and lets all be applied that can be. */
  deliver(...notices: readonly SentNotice[]): Promise<void>;
}

let numbered = 0;

/** A notice with an id of its own, that happened now. */
export function notice(sent: SentNotice): SentNotice {
  numbered += 1;
  return { noticeId: `bank_${numbered}`, occurredAt: new Date().toISOString(), ...sent };
}

/** Starts a host; `close()` it in `after`. */
export async function startNoticeSetup(
  options: Partial<PaymountOptions> = {},
): Promise<NoticeSetup> {
  const setup = await startSetupWith((clock) => new NotifyingBank(clock), options);
  const router = setup.paymount.noticeRouter({ environment: 'test', requireTls: false });
  setup.app.use(NOTICES_PATH, router);
  const send: NoticeSetup['send'] = (notices, signature = SIGNATURE) =>
    request(setup.url)
      .post(NOTICES_PATH)
      .set('X-Signature', signature)
      .type('json')
      .send(typeof notices === 'string' ? notices : JSON.stringify(notices));
  return {
    ...setup,
    send,
    async deliver(...notices) {
      await send(notices.map(notice)).expect(200);
      await eventually(
        () => query(setup.databaseUrl, `SELECT FROM paymount.notices WHERE state = 'received'`),
        (rows) => rows.length === 0,
      );
      await setup.worker.drain();
    },
  };
}
