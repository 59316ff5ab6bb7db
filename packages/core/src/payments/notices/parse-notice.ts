import { z } from 'zod';
import type { OperationId } from '../../kernel/basics/id.ts';
import { parseId } from '../../kernel/basics/id.ts';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import {
  ACCOUNT_TYPES,
  AccountNumberField,
  RoutingNumberField,
} from '../payment-methods/parse-tokenization.ts';
import type { Notice, NoticeKind } from '../processor/notice.ts';
import {
  MessageField,
  NameField,
  NetworkCodeField,
  optional,
  type ParsedAnswer,
  parseAnswer,
  WordField,
} from '../processor/parse-answer.ts';
import {
  CurrencyField,
  FeeField,
  LineFeeField,
  TimestampField,
} from '../processor/parse-outcome.ts';
import { DIRECT_NOTICE_KINDS } from './notice-applier.ts';
import { UNREADABLE_PREFIX } from './unreadable-notice.ts';

const MAX_YEAR = 9_999;
const MAX_KEY = 255;
/** Far above any amount of a charge; a sum of a settlement may be that large. */
const MAX_AMOUNT = 999_999_999_999;
const OUTCOMES = ['won', 'lost', 'warning_closed'] as const;

/** A name that is unique in an index, whose entries have at most some 2,700 bytes. */
const KeyField = withErrorHint(
  NameField.pipe(z.string().max(MAX_KEY)),
  `a text of 1 to ${MAX_KEY} characters`,
);
const AmountField = withErrorHint(
  z.int().min(1).max(MAX_AMOUNT),
  `an integer from 1 to ${MAX_AMOUNT}`,
);
const NoticeIdField = withErrorHint(
  KeyField.refine((id) => !id.startsWith(UNREADABLE_PREFIX)),
  `a text of 1 to ${MAX_KEY} characters that does not begin with ${UNREADABLE_PREFIX}`,
);
const OperationIdField = withErrorHint(
  z.custom<OperationId>((value) => parseId('op', value) !== undefined),
  'the id of an operation',
);

/** More than the ledger has: a dispute in such a round is readable, and a person's matter. */
const MAX_ROUND = 99;
const RoundField = withErrorHint(
  z.int().min(1).max(MAX_ROUND),
  `an integer from 1 to ${MAX_ROUND}`,
);

const settled = { amount: AmountField, currency: CurrencyField, fee: optional(FeeField) };
const failed = { code: WordField, message: MessageField };
const dispute = z.object({
  disputeReference: KeyField,
  amount: AmountField,
  currency: CurrencyField,
  reason: WordField,
  networkReasonCode: optional(NetworkCodeField),
  dueBy: optional(TimestampField),
  contestable: withErrorHint(z.boolean().default(true), 'true or false, or absent'),
});

const accountUpdate = z.object({
  processorToken: NameField,
  expMonth: optional(withErrorHint(z.int().min(1).max(12), 'an integer from 1 to 12')),
  expYear: optional(
    withErrorHint(z.int().min(2000).max(MAX_YEAR), `an integer from 2000 to ${MAX_YEAR}`),
  ),
  last4: optional(withErrorHint(z.string().regex(/^\d{4}$/), 'a text of 4 digits')),
  routingNumber: optional(RoutingNumberField),
  accountType: optional(withErrorHint(z.enum(ACCOUNT_TYPES), ACCOUNT_TYPES.join(' or '))),
  accountNumber: optional(AccountNumberField),
});

const settlementLine = z.object({
  lineId: KeyField,
  amount: withErrorHint(z.int().min(-MAX_AMOUNT).max(MAX_AMOUNT), 'an integer'),
  currency: CurrencyField,
  fee: optional(LineFeeField),
  settledOn: TimestampField,
  kind: WordField,
});

const SHAPES = {
  'charge.settled': shape(
    'charge.settled',
    z.object({ ...settled, availableOn: optional(TimestampField) }),
  ),
  'charge.failed': shape(
    'charge.failed',
    z.object({ ...failed, returnCode: optional(NetworkCodeField) }),
  ),
  'refund.settled': shape('refund.settled', z.object(settled)),
  'refund.failed': shape('refund.failed', z.object(failed)),
  'dispute.alert': shape('dispute.alert', dispute),
  'dispute.opened': shape('dispute.opened', dispute.extend({ round: optional(RoundField) })),
  'dispute.closed': shape(
    'dispute.closed',
    z.object({
      disputeReference: KeyField,
      outcome: withErrorHint(z.enum(OUTCOMES), `one of ${OUTCOMES.join(', ')}`),
      round: optional(RoundField),
    }),
  ),
  'payout.paid': shape('payout.paid', z.object({})),
  'payout.failed': shape('payout.failed', z.object(failed)),
  account_update: shape('account_update', accountUpdate),
  settlement_line: shape('settlement_line', settlementLine),
} as const;

const WITHOUT_OPERATION: readonly NoticeKind[] = DIRECT_NOTICE_KINDS;

function shape<const Kind extends NoticeKind, Data extends z.ZodType>(kind: Kind, data: Data) {
  return z.object({
    noticeId: NoticeIdField,
    kind: z.literal(kind),
    operationId: optional(OperationIdField),
    processorReference: optional(NameField),
    occurredAt: withErrorHint(
      TimestampField.transform((moment) => new Date(moment)),
      'an ISO 8601 time with an offset, a date, or a Date, from 1970 to 9999',
    ),
    data,
  });
}

/**
 * Reads what an adapter's `ingest` yielded, as `parseAnswer` does. A notice without anything that
 * names its operation is unreadable, except those that belong to none. Never throws.
 */
export function parseNotice(answer: unknown): ParsedAnswer<Notice> {
  const read = parseAnswer<Notice>(answer, 'kind', SHAPES);
  if (!('result' in read)) return read;
  const { kind, operationId, processorReference } = read.result;
  if (operationId ?? processorReference ?? WITHOUT_OPERATION.includes(kind)) return read;
  return {
    unreadable: {
      path: 'processorReference',
      issue: `must be a text if operationId is absent, in a notice of kind ${kind}; it is absent`,
    },
  };
}
