import { z } from 'zod';
import type { Logger } from '../shared/logger.ts';
import { inWords, wordsOf } from '../shared/words.ts';
import type { Operation } from './operation.ts';
import type { Outcome } from './processor.ts';

/** What a member of an answer is not. It holds no value, as that may be a secret. */
export interface Unreadable {
  /** The member, such as `availableOn`; empty for the answer as a whole. */
  readonly path: string;
  /** What it must be, and what kind of value it is. */
  readonly issue: string;
}

/** An answer as the core takes it, or the first thing that keeps it from being taken. */
export type Reading<Result> = { readonly result: Result } | { readonly unreadable: Unreadable };

const MAX_NAME = 1_000;
const MAX_CODE = 200;
const MAX_MESSAGE = 1_000;
const MAX_FEE = 99_999_999;
/** 1970 to 9999, as far as times in requests go. */
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** PostgreSQL keeps neither in a text: NUL, and half of a surrogate pair. */
const UNSTORABLE = /[\0\p{Cs}]/gu;

/** A name at the processor: cut, it would name something else, so a longer one is not read. */
const NameAnswer = inWords(
  z.string().transform(storable).pipe(z.string().min(1).max(MAX_NAME)),
  `a text of 1 to ${MAX_NAME} characters`,
);
const CodeAnswer = inWords(z.string().transform(cutTo(MAX_CODE)), 'a text');
const MessageAnswer = inWords(z.string().transform(cutTo(MAX_MESSAGE)), 'a text');
const MomentAnswer = inWords(
  z
    .union([z.iso.datetime({ offset: true }), z.iso.date(), z.date()])
    .transform((moment) => new Date(moment))
    .refine((moment) => moment.getTime() >= 0 && moment.getTime() <= MAX_TIME_MS)
    .transform((moment) => moment.toISOString()),
  'an ISO 8601 time with an offset, a date, or a Date, from 1970 to 9999',
);

const SHAPES = {
  approved: z.object({
    outcome: z.literal('approved'),
    processorReference: NameAnswer,
    amount: inWords(z.int(), 'an integer'),
    currency: inWords(
      z.string().transform((code) => cutTo(MAX_CODE)(code).toLowerCase()),
      'an ISO 4217 code',
    ),
    networkTransactionId: optional(NameAnswer),
    availableOn: optional(MomentAnswer),
    fee: optional(inWords(z.int().min(0).max(MAX_FEE), `an integer from 0 to ${MAX_FEE}`)),
  }),
  declined: z.object({
    outcome: z.literal('declined'),
    code: CodeAnswer,
    declineCode: CodeAnswer,
    message: MessageAnswer,
    retry: inWords(z.enum(['never', 'later', 'customer']), 'never, later or customer'),
    advice: optional(CodeAnswer),
    blocked: optional(inWords(z.boolean(), 'true or false')),
  }),
  pending: z.object({
    outcome: z.literal('pending'),
    processorReference: NameAnswer,
    expectedBy: MomentAnswer,
  }),
  action_required: z.object({
    outcome: z.literal('action_required'),
    redirectUrl: MessageAnswer,
    processorReference: NameAnswer,
  }),
  rejected: z.object({
    outcome: z.literal('rejected'),
    code: CodeAnswer,
    message: MessageAnswer,
  }),
} as const;

/**
 * Reads what an adapter answered to a submission. Harmless differences are taken: `null` and
 * `undefined` for absent members, members that nobody knows, times with an offset, currencies in
 * upper case; what PostgreSQL cannot keep is left out of texts, and long messages are cut. Each
 * member is read once, whatever the answer is made of. Never throws.
 */
export function readOutcome(answer: unknown): Reading<Outcome> {
  try {
    return readMembers(answer);
  } catch {
    return { unreadable: { path: '', issue: 'throws when it is read' } };
  }
}

/** The same for the answer to a look-up, which may also be `not_found`. */
export function readLookup(answer: unknown): Reading<Outcome | 'not_found'> {
  return answer === 'not_found' ? { result: answer } : readOutcome(answer);
}

/** The outcome of a reading; what cannot be read is logged, without a value, and unknown. */
export function outcomeOf<Result>(
  reading: Reading<Result>,
  operation: Operation,
  logger: Logger,
): Result | { readonly outcome: 'unknown' } {
  if ('result' in reading) return reading.result;
  logger.error(
    { operation: operation.id, kind: operation.kind, ...reading.unreadable },
    'The answer of a processor cannot be read; its outcome is unknown.',
  );
  return { outcome: 'unknown' };
}

function readMembers(answer: unknown): Reading<Outcome> {
  if (typeof answer !== 'object' || answer === null) {
    return { unreadable: { path: '', issue: mustBe('an object', answer) } };
  }
  const outcome: unknown = Reflect.get(answer, 'outcome');
  if (!isOutcome(outcome)) {
    const words = `one of ${Object.keys(SHAPES).join(', ')}`;
    return { unreadable: { path: 'outcome', issue: mustBe(words, outcome) } };
  }
  const { shape } = SHAPES[outcome];
  const members = new Map<string, unknown>([['outcome', outcome]]);
  for (const name of Object.keys(shape)) {
    const value: unknown = name === 'outcome' ? outcome : Reflect.get(answer, name);
    if (value !== undefined && value !== null) members.set(name, value);
  }
  const read = SHAPES[outcome].safeParse(Object.fromEntries(members));
  if (read.success) return { result: read.data };
  const path = String(read.error.issues[0]?.path[0] ?? '');
  const schema = new Map<string, z.ZodType>(Object.entries(shape)).get(path);
  const words = (schema && wordsOf(schema)) ?? 'something else';
  return { unreadable: { path, issue: mustBe(words, members.get(path)) } };
}

function isOutcome(value: unknown): value is Outcome['outcome'] {
  return typeof value === 'string' && Object.hasOwn(SHAPES, value);
}

function optional<Schema extends z.ZodType>(schema: Schema): z.ZodExactOptional<Schema> {
  return inWords(schema.exactOptional(), `${wordsOf(schema)}, or absent`);
}

function mustBe(words: string, value: unknown): string {
  return `must be ${words}; it is ${kindOf(value)}`;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'absent';
  if (typeof value === 'string') return `a text of ${value.length} characters`;
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}

function storable(text: string): string {
  return text.replace(UNSTORABLE, '');
}

/** Cuts first: the cut may leave half of a pair. */
function cutTo(max: number): (text: string) => string {
  return (text) => storable(text.slice(0, max));
}
