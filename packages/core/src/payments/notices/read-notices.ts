import type { Clock } from '../../kernel/basics/clock.ts';
import { withTimeout } from '../../kernel/basics/with-timeout.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { NoticeSource } from '../processor/notice.ts';
import type { Processor } from '../processor/processor.ts';
import { parseNotice } from './parse-notice.ts';
import { type KeptNotice, unreadableNotice } from './unreadable-notice.ts';

/** The bounds of one call of an adapter's `ingest`. */
export interface IngestLimits {
  readonly notices: number;
  readonly ms: number;
}

/**
 * Reads what an adapter makes of a source, within bounds. Anything that is not a notice is read as an unreadable
 * one, so that it does not keep out those beside it.
 * @throws PaymountError `operation_not_supported` if the adapter takes no notices; `notice_refused`
 *   with its cause if the adapter throws, yields more than `notices`, or does not end within `ms`
 */
export async function* readNotices(
  processor: Processor,
  source: NoticeSource,
  limits: IngestLimits,
  clock: Pick<Clock, 'now' | 'monotonicMs'>,
): AsyncGenerator<KeptNotice> {
  assertTakesNotices(processor);
  const endMs = clock.monotonicMs() + limits.ms;
  let iterator: AsyncIterator<unknown> | undefined;
  let isEnded = false;
  try {
    for (let count = 0; ; count += 1) {
      iterator ??= start(processor, source);
      const next = await nextWithin(iterator, Math.max(1, endMs - clock.monotonicMs()), limits);
      isEnded = next.done === true;
      if (isEnded) return;
      if (count >= limits.notices) {
        throw refused(new Error(`ingest yielded more than ${limits.notices} notices.`));
      }
      yield readOne(next.value, clock.now());
    }
  } finally {
    // An adapter that hangs would never end this, so nobody waits for it.
    if (!isEnded && iterator !== undefined) void endQuietly(iterator);
  }
}

function start(
  processor: Required<Pick<Processor, 'ingest'>>,
  source: NoticeSource,
): AsyncIterator<unknown> {
  try {
    return processor.ingest(source)[Symbol.asyncIterator]();
  } catch (cause) {
    throw refused(cause);
  }
}

async function nextWithin(
  iterator: AsyncIterator<unknown>,
  ms: number,
  limits: IngestLimits,
): Promise<IteratorResult<unknown>> {
  try {
    const next: unknown = await withTimeout(Promise.resolve(iterator.next()), ms, () => {
      throw new Error(`ingest did not end within ${limits.ms} ms.`);
    });
    if (isIteratorResult(next)) return next;
    throw new TypeError('`next()` of what ingest returned must give an object with `done`.');
  } catch (cause) {
    throw refused(cause);
  }
}

/** An adapter in JavaScript may give anything. */
function isIteratorResult(next: unknown): next is IteratorResult<unknown> {
  return typeof next === 'object' && next !== null;
}

function readOne(value: unknown, at: Date): KeptNotice {
  const read = parseNotice(value);
  return 'result' in read ? read.result : unreadableNotice(value, read.unreadable, at);
}

async function endQuietly(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // What it was asked for has failed already, and that was reported.
  }
}

function refused(cause: unknown): PaymountError {
  return new PaymountError('notice_refused', undefined, { cause });
}

/** @throws PaymountError `operation_not_supported` if the adapter takes no notices */
export function assertTakesNotices(
  processor: Processor,
): asserts processor is Processor & Required<Pick<Processor, 'ingest'>> {
  if (processor.ingest !== undefined) return;
  throw new PaymountError(
    'operation_not_supported',
    `The processor ${processor.name} takes no notices: its adapter has no \`ingest\`.`,
  );
}
