import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { parseId } from '../../kernel/basics/id.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import { OPERATION_KINDS } from '../processor/processor.ts';
import { OPERATION_STATES, type Operation } from './operation.ts';
import type { OperationAnswer } from './operation-answer.ts';
import type { CallResult } from './outcome.ts';
import { REVIEW_CAUSES, reviewCause } from './review-mail.ts';

const OUTCOMES = [
  'approved',
  'declined',
  'pending',
  'action_required',
  'rejected',
  'not_sent',
  'unknown',
] as const satisfies readonly CallResult['outcome'][];

const OutcomeResource = z
  .strictObject({
    outcome: z.enum(OUTCOMES),
    processor_reference: z.string().nullable(),
    amount: z.int().nullable(),
    currency: z.string().nullable(),
    fee: z.int().nullable().meta({ description: "The processor's fee, in minor units." }),
    available_on: z.string().nullable(),
    network_transaction_id: z.string().nullable(),
    code: z.string().nullable(),
    decline_code: z.string().nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: 'OperationOutcome', description: 'The answer of a processor or a person.' });

const OperationAnswerResource = z
  .strictObject({
    source: z.enum(['processor', 'operator']),
    answer: OutcomeResource,
    reason: z.string().nullable().meta({ description: "The operator's reason." }),
    created: TimestampResource,
  })
  .meta({ id: 'OperationAnswer' });

export const OperationResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('operation'),
    account: z.string(),
    livemode: z.boolean(),
    kind: z.enum(OPERATION_KINDS),
    state: z.enum(OPERATION_STATES).meta({
      description:
        '`created`: not sent yet. `sent`: being sent. `unknown`: sent and not answered; the ' +
        'processor is asked. `done`: its outcome is recorded. `failed`: certainly not executed. ' +
        '`quarantined`: waits for a person to settle it.',
    }),
    subject: z.string().meta({ description: 'The id of the charge, refund, payout or dispute.' }),
    charge: z.string().nullable().meta({ description: 'Null for a payout.' }),
    processor: z.string(),
    processor_reference: z.string().nullable(),
    amount: z.int().meta({ description: 'The requested amount, in minor units.' }),
    currency: z.string(),
    attempt: z.int().meta({ description: 'How often it was sent.' }),
    lookups: z.int().meta({ description: 'The number of look-ups without an outcome.' }),
    not_founds: z.int().meta({
      description: 'The number of consecutive look-ups in which the processor did not know it.',
    }),
    deadline_at: TimestampResource,
    next_lookup_at: TimestampResource.nullable(),
    outcome: OutcomeResource.nullable().meta({ description: 'The recorded outcome.' }),
    review: z
      .strictObject({ cause: z.enum(REVIEW_CAUSES), since: TimestampResource })
      .nullable()
      .meta({
        description:
          'Why a person must look at it. `contradiction`: the processor approved another amount or ' +
          'currency. `no_answer`: it did not answer the last look-up either, or put the outcome off ' +
          'again. `unrecorded`: its answer, the `outcome`, could not be recorded at any of ten tries. `late_answer`: it answered differently after the operation was closed. ' +
          '`hook_waits`: the outcome is known, or the payout was withdrawn, and the hook has not accepted it yet.',
      }),
    request_id: z.string().meta({ description: 'The id of the request that caused it.' }),
    answers: z
      .array(OperationAnswerResource)
      .optional()
      .meta({
        description:
          'If a single operation is retrieved: the answers about it, oldest first, if a person had ' +
          'to look at it.',
      }),
    created: TimestampResource,
  })
  .meta({ id: 'Operation' });

export type OperationJson = z.output<typeof OperationResource>;

/** The root of an operation is the object whose lock it takes; only a charge is shown. */
function toChargeId({ rootId }: Operation): string | null {
  return rootId === undefined ? null : (parseId('ch', rootId) ?? null);
}

/** The JSON of an operation. @param answers given if a single operation is retrieved */
export function toOperationResource(
  operation: Operation,
  answers?: readonly OperationAnswer[],
): OperationJson {
  return {
    id: operation.id,
    object: 'operation',
    account: operation.accountId,
    livemode: livemode(operation.environment),
    kind: operation.kind,
    state: operation.state,
    subject: operation.subjectId,
    charge: toChargeId(operation),
    processor: operation.processor,
    processor_reference: operation.processorReference ?? null,
    amount: operation.amount,
    currency: operation.currency,
    attempt: operation.attempt,
    lookups: operation.lookups,
    not_founds: operation.notFounds,
    deadline_at: operation.deadlineAt.toISOString(),
    next_lookup_at: timestamp(operation.nextLookupAt),
    outcome: operation.outcome === undefined ? null : toOutcomeResource(operation.outcome),
    review: toReview(operation),
    request_id: operation.requestId,
    ...(answers && { answers: answers.map(toOperationAnswerResource) }),
    created: operation.created.toISOString(),
  };
}

function toReview(operation: Operation): OperationJson['review'] {
  const { state, outcome, reviewSince, created } = operation;
  if (state === 'quarantined') {
    const cause = outcome === undefined ? 'no_answer' : reviewCause(operation, outcome);
    return { cause, since: (reviewSince ?? created).toISOString() };
  }
  if (reviewSince === undefined) return null;
  const isOpen = state === 'created' || state === 'unknown';
  const cause = isOpen ? 'hook_waits' : 'late_answer';
  return { cause, since: reviewSince.toISOString() };
}

function toOperationAnswerResource({ source, answer, reason, created }: OperationAnswer) {
  return {
    source,
    answer: toOutcomeResource(answer),
    reason: reason ?? null,
    created: created.toISOString(),
  };
}

/** Every field of every outcome; null for fields that it does not have. */
function toOutcomeResource(result: CallResult): z.output<typeof OutcomeResource> {
  const fields: Partial<Record<string, string | number | boolean>> = { ...result };
  const textField = (name: string): string | null => {
    const value = fields[name];
    return typeof value === 'string' ? value : null;
  };
  const numberField = (name: string): number | null => {
    const value = fields[name];
    return typeof value === 'number' ? value : null;
  };
  return {
    outcome: result.outcome,
    processor_reference: textField('processorReference'),
    amount: numberField('amount'),
    currency: textField('currency'),
    fee: numberField('fee'),
    available_on: textField('availableOn'),
    network_transaction_id: textField('networkTransactionId'),
    code: textField('code'),
    decline_code: textField('declineCode'),
    message: textField('message'),
  };
}
