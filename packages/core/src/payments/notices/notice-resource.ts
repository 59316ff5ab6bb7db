import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import { NOTICE_STATES, type StoredNotice } from './stored-notice.ts';
import { type KeptNotice, STORED_NOTICE_KINDS } from './unreadable-notice.ts';

const NoticeFactsResource = z
  .strictObject({
    amount: z.int().nullable().meta({ description: 'Minor units.' }),
    currency: z.string().nullable(),
    fee: z.int().nullable().meta({ description: "The processor's fee, in minor units." }),
    code: z.string().nullable(),
    message: z.string().nullable(),
    reason: z.string().nullable().meta({ description: 'Of a dispute.' }),
    dispute_reference: z.string().nullable(),
    outcome: z.string().nullable().meta({ description: 'Of a dispute that was closed.' }),
    line: z.string().nullable().meta({ description: "The processor's id of a settlement line." }),
  })
  .meta({ id: 'NoticeFacts', description: 'What the processor said; null where it said nothing.' });

export const NoticeResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('notice'),
    account: z.string().nullable().meta({ description: 'Null until its operation is found.' }),
    livemode: z.boolean(),
    processor: z.string(),
    notice_id: z.string().meta({
      description:
        "The processor's id of the notice. An unreadable one without an id has a key of Paymount.",
    }),
    kind: z.enum(STORED_NOTICE_KINDS).meta({
      description:
        '`unreadable`: the adapter yielded something that is not a notice. `reason` says what is wrong with it; ' +
        'it can be dismissed, not retried.',
    }),
    state: z.enum(NOTICE_STATES).meta({
      description:
        '`received`: stored, and being applied. `waiting`: what it is about is not known yet, or ' +
        'could not be changed, or it waits for the hook; it is tried again. `applied`: its change is recorded. `ignored`: it ' +
        'changes nothing. `quarantined`: a person must look at it.',
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why it waits, changes nothing, or needs a person.' }),
    operation: z.string().nullable().meta({ description: 'The id of its operation, if known.' }),
    processor_reference: z.string().nullable(),
    facts: NoticeFactsResource,
    tries: z.int().meta({ description: 'How often it was tried without a change.' }),
    next_try_at: TimestampResource.nullable(),
    review_since: TimestampResource.nullable().meta({
      description: 'Since when a person must look at it, or it waits for the hook.',
    }),
    occurred_at: TimestampResource.meta({ description: 'When it happened at the processor.' }),
    created: TimestampResource,
  })
  .meta({ id: 'Notice' });

export type NoticeJson = z.output<typeof NoticeResource>;

/** The JSON of a notice, without tokens of cards. */
export function toNoticeResource(stored: StoredNotice): NoticeJson {
  const { notice } = stored;
  return {
    id: stored.id,
    object: 'notice',
    account: stored.accountId ?? null,
    livemode: livemode(stored.environment),
    processor: stored.processor,
    notice_id: nameOf(notice),
    kind: notice.kind,
    state: stored.state,
    reason: 'reason' in stored ? stored.reason : null,
    operation: stored.foundId ?? notice.operationId ?? null,
    processor_reference: notice.processorReference ?? null,
    facts: toFacts(notice),
    tries: stored.tries,
    next_try_at: timestamp(stored.nextTryAt),
    review_since: timestamp('reviewSince' in stored ? stored.reviewSince : undefined),
    occurred_at: notice.occurredAt.toISOString(),
    created: stored.created.toISOString(),
  };
}

/** The processor's id of a notice, or the key of one that has none. */
export function nameOf(notice: KeptNotice): string {
  if (notice.kind !== 'unreadable') return notice.noticeId;
  return notice.data.noticeId ?? notice.noticeId;
}

function toFacts({ data }: KeptNotice): NoticeJson['facts'] {
  const fields: Partial<Record<string, unknown>> = { ...data };
  const textField = (name: string): string | null => {
    const value = fields[name];
    return typeof value === 'string' ? value : null;
  };
  const numberField = (name: string): number | null => {
    const value = fields[name];
    return typeof value === 'number' ? value : null;
  };
  return {
    amount: numberField('amount'),
    currency: textField('currency'),
    fee: numberField('fee'),
    code: textField('code'),
    message: textField('message'),
    reason: textField('reason'),
    dispute_reference: textField('disputeReference'),
    outcome: textField('outcome'),
    line: textField('lineId'),
  };
}
