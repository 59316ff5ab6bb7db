import { z } from 'zod';
import { HookError } from '../../changes/change.ts';
import { newId } from '../../kernel/basics/id.ts';
import { errorMessage } from '../../kernel/errors/thrown.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import { isOneLine } from '../../kernel/input/one-line.ts';
import { clockField, timeOf } from '../../payments/test-clocks/object-clock.ts';
import { type DraftInvoice, draftWithLines } from './invoice.ts';
import type { InvoiceItem } from './invoice-item.ts';
import { lineOf, MAX_INVOICE_AMOUNT, MAX_ITEMS, totalOf } from './invoice-lines.ts';
import type { InvoiceRepositories } from './invoice-storage.ts';

const MomentLine = z.union([
  z.date(),
  z.iso.datetime({ offset: true }).transform((at) => new Date(at)),
]);

const HookLineInput = z.strictObject({
  amount: z.int().min(-MAX_INVOICE_AMOUNT).max(MAX_INVOICE_AMOUNT),
  currency: z.string(),
  description: z.string().trim().min(1).max(500),
  period: z
    .strictObject({ start: MomentLine, end: MomentLine })
    .refine(({ start, end }) => start <= end, 'A period must not end before it starts.')
    .optional(),
  metadata: z.record(z.string(), z.string()).optional(),
});
const AnswerInput = z.strictObject({ lines: z.array(HookLineInput).max(MAX_ITEMS).optional() });

/** A line that the host's hook adds to an invoice. */
export type HookLine = z.input<typeof HookLineInput>;

/** What the hook may return for an invoice that is about to get its number. */
export interface FinalizingAnswer {
  /** At most 250, together with the invoice items of the invoice. @defaultValue none */
  readonly lines?: readonly HookLine[];
}

/**
 * Asks the host's hook for lines of an invoice that is about to get its number, and adds them as invoice items. They are
 * part of the transaction that issues it: if that is rolled back, the hook is asked again, and nothing of its first
 * answer is left.
 * @throws HookError if the hook throws, or returns what no invoice can have
 */
export async function withHookLines(
  rows: Pick<InvoiceRepositories, 'hookOfInvoices' | 'invoiceItems'>,
  draft: DraftInvoice,
  at: Date,
): Promise<DraftInvoice> {
  const answer = await rows.hookOfInvoices.finalizing(draft);
  if (answer === undefined || answer === null) return draft;
  const items = checkedLines(draft, answer).map((line) => toItem(draft, line, at));
  if (items.length === 0) return draft;
  const lines = [...draft.lines, ...items.map((item) => lineOf(item))];
  const count = lines.filter(({ invoiceItemId }) => invoiceItemId !== null).length;
  if (count > MAX_ITEMS) {
    throw refused(
      `With the lines that it returned, the invoice has ${count} invoice items; ${MAX_ITEMS} is the most`,
    );
  }
  if (Math.abs(totalOf(lines)) > MAX_INVOICE_AMOUNT) {
    throw refused(
      'With the lines that it returned, the invoice is more than 99,999,999 minor units',
    );
  }
  await rows.invoiceItems.insert(items);
  return draftWithLines(draft, lines);
}

type CheckedLine = z.output<typeof HookLineInput>;

function checkedLines({ currency }: DraftInvoice, answer: unknown): readonly CheckedLine[] {
  const parsed = AnswerInput.safeParse(answer);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where =
      issue === undefined || issue.path.length === 0 ? 'what it returned' : pathOf(issue.path);
    throw refused(`${where} is not valid: ${issue?.message ?? 'it has another type'}`);
  }
  const { lines = [] } = parsed.data;
  lines.forEach((line, index) => {
    if (line.currency !== currency) {
      throw refused(
        `lines[${index}].currency is ${line.currency}, and the invoice is in ${currency}`,
      );
    }
    if (!isOneLine(line.description)) {
      throw refused(
        `lines[${index}].description is not one line of text without control characters`,
      );
    }
    assertMetadata(line, index);
  });
  return lines;
}

function assertMetadata({ metadata }: CheckedLine, index: number): void {
  try {
    mergeMetadata({}, metadata, `lines[${index}].metadata`);
  } catch (error) {
    throw refused(errorMessage(error));
  }
}

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

function refused(message: string): HookError {
  const cause = new TypeError(message);
  return new HookError('The hook of the host returned lines that an invoice cannot have.', {
    cause,
  });
}

function toItem(draft: DraftInvoice, line: CheckedLine, at: Date): InvoiceItem {
  const { accountId, environment, customerId, currency, id, subscriptionId } = draft;
  const { start, end } = line.period ?? { start: draft.periodStart, end: draft.periodEnd };
  return {
    accountId,
    environment,
    id: newId('ii'),
    version: 1,
    customerId,
    currency,
    unitAmount: line.amount,
    quantity: 1,
    amount: line.amount,
    description: line.description,
    priceId: null,
    periodStart: start,
    periodEnd: end,
    isProration: false,
    isEdited: false,
    invoiceId: id,
    subscriptionId,
    subscriptionItemId: null,
    metadata: line.metadata ?? {},
    created: timeOf(draft, at),
    ...clockField(draft),
  };
}
