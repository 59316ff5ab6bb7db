import assert from 'node:assert/strict';
import { isError } from '@paymount/core/kernel';
import type { NoticeSource } from '@paymount/core/payments';
import { type Conditional, hasNotice, provided, type Test } from './conditions.ts';
import { expectSame } from './expectations.ts';
import type { NoticeSubject, SentNotices } from './fixtures.ts';
import type { ProcessorSetup } from './setup.ts';
import { charged, readAbout, sendAbout } from './subjects.ts';

/** Cases for what an adapter reads from requests and files of its processor. */
export const noticeCases: Readonly<Record<string, Conditional>> = {
  'reads a notice of the operation that it is about, with its amount': ingesting(async (setup) => {
    const subject = await sale(setup);
    const [{ data } = assert.fail()] = await readAbout(setup, 'charge.settled', [subject]);
    const { amount, currency } = subject;
    expectSame('ingest', { amount: data.amount, currency: data.currency }, { amount, currency });
  }),
  'reads notices in any order, and gives each the same id when it comes again': ingesting(
    async (setup) => {
      const subjects = [await sale(setup), await sale(setup)];
      const ids = async (about: readonly NoticeSubject[]) =>
        (await readAbout(setup, 'charge.settled', about)).map(({ noticeId }) => noticeId);
      expectSame(
        'ingest of the same notices in another order',
        (await ids(subjects.toReversed())).toReversed(),
        await ids(subjects),
      );
    },
  ),
  'refuses a body that was changed after it was signed, before it yields anything': ingesting(
    async (setup) => {
      const sent = await sendAbout(setup, 'charge.settled', [await sale(setup)]);
      await expectRefused(setup, tampered(sent));
    },
  ),
  'refuses a body without a signature': ingesting(async (setup) => {
    const sent = await sendAbout(setup, 'charge.settled', [await sale(setup)]);
    await expectRefused(setup, { headers: {}, body: bodyOf(sent) });
  }),
};

/** A case for adapters that take notices; the fixtures say how their processor sends them. */
function ingesting(test: Test): Conditional {
  return provided([hasNotice('charge.settled')], test);
}

function sale(setup: ProcessorSetup): Promise<NoticeSubject> {
  const { approved, notices } = setup.fixtures;
  return charged(setup, notices?.['charge.settled']?.of ?? approved);
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
export async function expectRefused(setup: ProcessorSetup, source: NoticeSource): Promise<void> {
  const processor = await setup.fresh();
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
