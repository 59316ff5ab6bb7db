import assert from 'node:assert/strict';
import { isError } from '../kernel/errors/is-error.ts';
import type { Notice, NoticeSource } from '../payments/notices/notice.ts';
import { parseNotice } from '../payments/notices/parse-notice.ts';
import { requireResult } from '../payments/operations/parse-answer.ts';
import type { ProcessorBench } from './processor-bench.ts';
import type { Conditional, Test } from './processor-conditions.ts';
import type { Approved } from './processor-expectations.ts';
import { expectSame } from './processor-expectations.ts';
import type { NoticeRequest } from './processor-fixtures.ts';

/** Cases for what an adapter reads from requests of its processor. */
export const noticeCases: Readonly<Record<string, Conditional>> = {
  'reads a notice of the operation that it is about, with its amount': ingesting(async (bench) => {
    const [operation, outcome] = await bench.sale();
    const [notice] = await readNotices(bench, await signed(bench, [outcome]));
    assert(notice !== undefined, 'ingest must yield a notice; it yielded none.');
    assert.equal(notice.kind, 'charge.settled', 'The notice of a sale is charge.settled.');
    const names =
      notice.operationId === operation.operationId ||
      notice.processorReference === outcome.processorReference;
    assert(names, 'A notice names its operation, or the reference that its answer had.');
    const { amount, currency } = outcome;
    assert(notice.kind === 'charge.settled');
    expectSame(
      'ingest',
      { amount: notice.data.amount, currency: notice.data.currency },
      {
        amount,
        currency,
      },
    );
  }),
  'reads notices in any order, and gives each the same id when it comes again': ingesting(
    async (bench) => {
      const outcomes = [(await bench.sale())[1], (await bench.sale())[1]];
      const ids = async (sent: readonly Approved[]) =>
        (await readNotices(bench, await signed(bench, sent))).map(({ noticeId }) => noticeId);
      const first = await ids(outcomes);
      assert.equal(new Set(first).size, 2, 'Two notices have two ids.');
      expectSame(
        'ingest of the same notices in another order',
        (await ids(outcomes.toReversed())).sort(),
        first.toSorted(),
      );
    },
  ),
  'refuses a body that was changed after it was signed, before it yields anything': ingesting(
    async (bench) => {
      const { headers, body } = await signed(bench, [(await bench.sale())[1]]);
      const tampered = Buffer.concat([body, Buffer.from(' ')]);
      await expectRefused(bench, { headers, body: tampered });
    },
  ),
  'refuses a body without a signature': ingesting(async (bench) => {
    const { body } = await signed(bench, [(await bench.sale())[1]]);
    await expectRefused(bench, { headers: {}, body });
  }),
};

/** A case for adapters that take notices; the fixtures say how their processor sends them. */
function ingesting(test: Test): Conditional {
  return {
    test,
    async leftOut(bench) {
      const { ingest } = await bench.fresh();
      if (ingest === undefined) {
        return 'The adapter has no `ingest`: notices of its processor are refused.';
      }
      return bench.fixtures.noticeRequest === undefined
        ? 'The fixtures have no `noticeRequest`.'
        : undefined;
    },
  };
}

async function signed(bench: ProcessorBench, of: readonly Approved[]): Promise<NoticeRequest> {
  const { noticeRequest } = bench.fixtures;
  assert(noticeRequest !== undefined);
  return noticeRequest(of.map(({ processorReference }) => processorReference));
}

/** What a new adapter reads from a source, as the core reads it. */
export async function readNotices(
  bench: ProcessorBench,
  source: NoticeSource,
): Promise<readonly Notice[]> {
  const processor = await bench.fresh();
  const notices: Notice[] = [];
  for await (const notice of processor.ingest?.(source) ?? []) {
    notices.push(requireResult('ingest', parseNotice(notice)));
  }
  return notices;
}

async function expectRefused(bench: ProcessorBench, source: NoticeSource): Promise<void> {
  await assert.rejects(
    readNotices(bench, source),
    isError,
    'ingest must throw for a wrong signature.',
  );
}
