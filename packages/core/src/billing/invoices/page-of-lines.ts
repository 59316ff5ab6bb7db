import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { InvoiceLine } from './invoice-lines.ts';

/**
 * A page of the lines of one invoice, which are read together. They keep their order: the first one is
 * the first.
 * @throws PaymountError `invalid_cursor`
 */
export function pageOfLines(lines: readonly InvoiceLine[], page: PageRequest): Page<InvoiceLine> {
  const { limit, startingAfter, endingBefore } = page;
  if (endingBefore !== undefined) {
    const end = indexOf(lines, endingBefore, 'ending_before');
    const start = Math.max(0, end - limit);
    return { data: lines.slice(start, end), hasMore: start > 0 };
  }
  const start =
    startingAfter === undefined ? 0 : indexOf(lines, startingAfter, 'starting_after') + 1;
  return { data: lines.slice(start, start + limit), hasMore: start + limit < lines.length };
}

function indexOf(lines: readonly InvoiceLine[], id: string, param: string): number {
  const index = lines.findIndex((line) => line.id === id);
  if (index >= 0) return index;
  throw new PaymountError('invalid_cursor', undefined, { param });
}
