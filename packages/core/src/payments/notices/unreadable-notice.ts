import { createHash } from 'node:crypto';
import { type OperationId, parseId } from '../../kernel/basics/id.ts';
import { redactCardNumbers } from '../../kernel/secrets/card-number-text.ts';
import type { Notice, NoticeKind } from '../processor/notice.ts';
import { NOTICE_KINDS } from '../processor/notice.ts';
import { type AnswerIssue, NameField, WordField } from '../processor/parse-answer.ts';

/** The kind of what cannot be read. No adapter can send it. */
const UNREADABLE = 'unreadable';
/** What notices are stored as. */
export const STORED_NOTICE_KINDS = [...NOTICE_KINDS, UNREADABLE] as const;
export type StoredNoticeKind = NoticeKind | typeof UNREADABLE;

/** No id of a processor may begin so, so that a readable notice is stored beside its unreadable version. */
export const UNREADABLE_PREFIX = 'unreadable:';
/** Why an unreadable notice needs nobody any more. */
export const READ_LATER = 'It was sent again, and could be read.';
const MAX_NOTICE_ID = 255;

/** Something that an adapter yielded and that is no notice: what names it, and no other value. */
export interface UnreadableNotice {
  /** A key of Paymount: of the processor's id, or of the contents if it has none. */
  readonly noticeId: string;
  readonly kind: typeof UNREADABLE;
  readonly operationId?: OperationId;
  readonly processorReference?: string;
  /** When it was read. */
  readonly occurredAt: Date;
  readonly data: AnswerIssue & {
    /** The processor's id, shortened if it is too long. */
    readonly noticeId?: string;
    /** The kind that it says it has. */
    readonly kind?: string;
  };
}

/** A notice as it is stored. */
export type KeptNotice = Notice | UnreadableNotice;

/** The key under which the unreadable version of a notice is stored. */
export function unreadableKey(noticeId: string): string {
  return `${UNREADABLE_PREFIX}${sha256(JSON.stringify(['id', noticeId]))}`;
}

/**
 * Keeps what names an entry that cannot be read. Never throws, whatever the entry is made of.
 * @param at when it was read
 */
export function unreadableNotice(value: unknown, issue: AnswerIssue, at: Date): UnreadableNotice {
  const noticeId = textOf(value, 'noticeId');
  const operationId = parseId('op', textOf(value, 'operationId') ?? '');
  const processorReference = named(textOf(value, 'processorReference'));
  const kind = textOf(value, 'kind');
  return {
    noticeId: noticeId === undefined ? contentKey(value, issue) : unreadableKey(noticeId),
    kind: UNREADABLE,
    occurredAt: at,
    data: {
      path: issue.path,
      issue: issue.issue,
      ...(noticeId === undefined ? {} : { noticeId: storable(noticeId.slice(0, MAX_NOTICE_ID)) }),
      ...(kind === undefined ? {} : { kind: redactCardNumbers(WordField.parse(kind)) }),
    },
    ...(operationId === undefined ? {} : { operationId }),
    ...(processorReference === undefined ? {} : { processorReference }),
  };
}

/** Why an unreadable notice waits for a person. */
export function unreadableReason({ data }: UnreadableNotice): string {
  const { path, issue, kind } = data;
  const member = path === '' ? 'what the adapter yielded' : path;
  const told = kind === undefined ? '' : ` It says that its kind is ${kind}.`;
  return `It cannot be read: ${member} ${issue}.${told}`;
}

/** A text of an entry; a number is one too, because some processors count their notices. */
function textOf(value: unknown, name: string): string | undefined {
  try {
    if (typeof value !== 'object' || value === null) return undefined;
    const member: unknown = Reflect.get(value, name);
    if (typeof member === 'number' || typeof member === 'bigint') return String(member);
    return typeof member === 'string' && member !== '' ? member : undefined;
  } catch {
    return undefined;
  }
}

function named(text: string | undefined): string | undefined {
  const read = NameField.safeParse(text);
  return read.success ? read.data : undefined;
}

function storable(text: string): string {
  return named(text) ?? '';
}

/** The same entry has the same key, so that what a processor repeats is stored once. */
function contentKey(value: unknown, { path, issue }: AnswerIssue): string {
  return `${UNREADABLE_PREFIX}${sha256(JSON.stringify(['content', path, issue, contentOf(value)]))}`;
}

/** Without numbers of cards and bank accounts, which somebody could find from their hash by trying all. */
function contentOf(value: unknown): string {
  try {
    const text = JSON.stringify(value, (name, member: unknown) => {
      if (name === 'accountNumber') return undefined;
      return typeof member === 'bigint' ? String(member) : member;
    });
    return redactCardNumbers(text ?? typeof value);
  } catch {
    return '';
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
