import assert from 'node:assert/strict';
import { isError } from '@paymount/core/kernel';
import type { NoticeSource } from '@paymount/core/payments';
import type { ProcessorBench } from './bench.ts';
import { type Conditional, hasNotice, provided, type Test } from './conditions.ts';
import { expectSame } from './expectations.ts';
import type { NoticeSubject, SentNotices } from './fixtures.ts';
import { charged, readAbout, sendAbout } from './subjects.ts';

/** Cases for what an adapter reads from requests and files of its processor. */
export const noticeCases: Readonly<Record<string, Conditional>> = {
  'reads a notice of the operation that it is about, with its amount': ingesting(async (bench) => {
    const subject = await sale(bench);
    const [{ data } = assert.fail()] = await readAbout(bench, 'charge.settled', [subject]);
    const { amount, currency } = subject;
    expectSame('ingest', { amount: data.amount, currency: data.currency }, { amount, currency });
  }),
  'reads notices in any order, and gives each the same id when it comes again': ingesting(
    async (bench) => {
      const subjects = [await sale(bench), await sale(bench)];
      const ids = async (about: readonly NoticeSubject[]) =>
        (await readAbout(bench, 'charge.settled', about)).map(({ noticeId }) => noticeId);
      expectSame(
        'ingest of the same notices in another order',
        (await ids(subjects.toReversed())).toReversed(),
        await ids(subjects),
      );
    },
  ),
  'refuses a body that was changed after it was signed, before it yields anything': ingesting(
    async (bench) => {
      const sent = await sendAbout(bench, 'charge.settled', [await sale(bench)]);
      await expectRefused(bench, tampered(sent));
    },
  ),
  'refuses a body without a signature': ingesting(async (bench) => {
    const sent = await sendAbout(bench, 'charge.settled', [await sale(bench)]);
    await expectRefused(bench, { headers: {}, body: bodyOf(sent) });
  }),
};

/** A case for adapters that take notices; the fixtures say how their processor sends them. */
function ingesting(test: Test): Conditional {
  return provided([hasNotice('charge.settled')], test);
}

function sale(bench: ProcessorBench): Promise<NoticeSubject> {
  const { approved, notices } = bench.fixtures;
  return charged(bench, notices?.['charge.settled']?.of ?? approved);
}

/** The content of a file could come as a request, which anybody can send. */
function bodyOf(sent: SentNotices): Buffer {
  return 'file' in sent ? Buffer.from(sent.file) : sent.body;
}

/** What somebody sends who has seen what the processor sent, and cannot sign. */
export function tampered(sent: SentNotices): NoticeSource {
  const headers = 'file' in sent ? {} : sent.headers;
  return { headers, body: Buffer.concat([bodyOf(sent), Buffer.from(' ')]) };
}

/** Expects an adapter to throw before it yields anything, whatever it is. */
export async function expectRefused(bench: ProcessorBench, source: NoticeSource): Promise<void> {
  const processor = await bench.fresh();
  let yielded = 0;
  try {
    for await (const _ of processor.ingest?.(source) ?? []) yielded += 1;
  } catch (error) {
    assert(isError(error), 'An adapter throws Errors only.');
    assert(yielded === 0, 'ingest must check the signature before it yields anything.');
    return;
  }
  assert.fail('ingest must throw for a wrong signature.');
}
