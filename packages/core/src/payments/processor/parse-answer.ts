import { z } from 'zod';
import { findErrorHint, withErrorHint } from '../../kernel/errors/error-hints.ts';
import { toOneLine } from '../../kernel/input/one-line.ts';
import { redactCardNumbers } from '../../kernel/secrets/card-number-text.ts';

/** What is wrong with a member of an answer. It contains no value, because that may be a secret. */
export interface AnswerIssue {
  /** The member, such as `availableOn` or `facts.card.last4`; empty for the answer as a whole. */
  readonly path: string;
  /** The required value, and the kind of the actual value. */
  readonly issue: string;
}

/** An answer in the core's form, or the first problem with it. */
export type ParsedAnswer<Result> =
  | { readonly result: Result }
  | { readonly unreadable: AnswerIssue };

/** The possible shapes of an answer; a zod object is one. */
interface Shape<Result> {
  readonly shape: Readonly<Record<string, z.core.$ZodType>>;
  safeParse(
    members: unknown,
  ):
    | { readonly success: true; readonly data: Result }
    | { readonly success: false; readonly error: Pick<z.ZodError, 'issues'> };
}

const MAX_NAME = 1_000;
const MAX_CODE = 200;
const MAX_MESSAGE = 1_000;
/** PostgreSQL stores neither in a text: NUL, and unpaired surrogates. */
const UNSTORABLE = /[\0\p{Cs}]/gu;

/** A name at the processor. Shortened it would name something else, so a longer one is refused. */
export const NameField = withErrorHint(
  z.string().transform(storable).pipe(z.string().min(1).max(MAX_NAME)),
  `a text of 1 to ${MAX_NAME} characters`,
);
/** A name that people read, such as that of a bank: on one line; empty if it was blank. */
export const ShownNameField = withErrorHint(
  NameField.transform(toOneLine),
  `a text of 1 to ${MAX_NAME} characters`,
);
/** A short word, without spaces around it, shortened if it is too long. */
export const CodeField = withErrorHint(
  z.string().transform((text) => cutTo(MAX_CODE)(text.trim())),
  'a text',
);
/** A word of our tables, such as `fraudulent`: they are in lower case. */
export const WordField = withErrorHint(
  CodeField.transform((word) => word.toLowerCase()),
  'a text',
);
/** A code of a bank or network. Banks write those of a letter and digits, such as `R10`, in upper case. */
export const NetworkCodeField = withErrorHint(
  CodeField.transform((code) => (/^[a-z]\d{1,3}$/.test(code) ? code.toUpperCase() : code)),
  'a text',
);
/**
 * A text for people on one line, shortened if it is too long; card numbers that a processor repeats
 * are removed.
 */
export const MessageField = withErrorHint(
  z.string().transform(cutTo(MAX_MESSAGE)).transform(redactCardNumbers).transform(toOneLine),
  'a text',
);
/** The URL for a redirect. */
export const UrlField = withErrorHint(z.string().transform(cutTo(MAX_MESSAGE)), 'a text');

/** A member that may be absent. */
export function optional<Schema extends z.ZodType>(schema: Schema): z.ZodExactOptional<Schema> {
  return withErrorHint(schema.exactOptional(), `${findErrorHint(schema)}, or absent`);
}

/**
 * Reads an answer of an adapter. Harmless differences are accepted: `null` and `undefined` for
 * absent members, and unknown members. Each member is read once, whatever the answer is made of.
 * Never throws.
 * @param tag the member that selects one of `shapes`
 * @param tag the member whose word says which of `shapes` it has
 */
export function parseAnswer<Result>(
  answer: unknown,
  tag: string,
  shapes: Readonly<Record<string, Shape<Result>>>,
): ParsedAnswer<Result> {
  try {
    return parseShape(answer, tag, shapes);
  } catch {
    return { unreadable: { path: '', issue: 'throws when it is read' } };
  }
}

/**
 * The result of a reading.
 * @param method of the adapter, for the message
 * @throws TypeError that names the member that cannot be read, without a value
 */
export function requireResult<Result>(method: string, reading: ParsedAnswer<Result>): Result {
  if ('result' in reading) return reading.result;
  const { path, issue } = reading.unreadable;
  const member = path === '' ? 'the answer' : path;
  throw new TypeError(`The core cannot read what ${method} answered: ${member} ${issue}.`);
}

function parseShape<Result>(
  answer: unknown,
  tag: string,
  shapes: Readonly<Record<string, Shape<Result>>>,
): ParsedAnswer<Result> {
  if (!isObject(answer)) return { unreadable: { path: '', issue: mustBe('an object', answer) } };
  const word: unknown = Reflect.get(answer, tag);
  const schema = typeof word === 'string' && Object.hasOwn(shapes, word) ? shapes[word] : undefined;
  if (schema === undefined) {
    const words = `one of ${Object.keys(shapes).join(', ')}`;
    return { unreadable: { path: tag, issue: mustBe(words, word) } };
  }
  const members = { ...pickMembers(answer, schema, tag), [tag]: word };
  const read = schema.safeParse(members);
  if (read.success) return { result: read.data };
  return { unreadable: unreadable(members, schema, read.error.issues[0]?.path ?? []) };
}

/** The present members of a shape, except `known`. */
function pickMembers(
  answer: object,
  { shape }: Pick<Shape<unknown>, 'shape'>,
  known?: string,
): Readonly<Record<string, unknown>> {
  const members = new Map<string, unknown>();
  for (const [name, schema] of Object.entries(shape)) {
    const value: unknown = name === known ? undefined : Reflect.get(answer, name);
    if (value === undefined || value === null) continue;
    const isNested = schema instanceof z.ZodObject && isObject(value);
    members.set(name, isNested ? pickMembers(value, schema) : value);
  }
  return Object.fromEntries(members);
}

function unreadable(
  members: object,
  { shape }: Pick<Shape<unknown>, 'shape'>,
  [name, ...rest]: readonly PropertyKey[],
): AnswerIssue {
  const path = String(name ?? '');
  const value: unknown = Reflect.get(members, path);
  const schema = new Map(Object.entries(shape)).get(path);
  if (schema instanceof z.ZodObject && isObject(value)) {
    const inner = unreadable(value, schema, rest);
    return { ...inner, path: `${path}.${inner.path}` };
  }
  const words = (schema && findErrorHint(schema)) ?? 'an object';
  return { path, issue: mustBe(words, value) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function mustBe(words: string, value: unknown): string {
  return `must be ${words}; it is ${describeKind(value)}`;
}

function describeKind(value: unknown): string {
  if (value === undefined || value === null) return 'absent';
  if (typeof value === 'string') return `a text of ${value.length} characters`;
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}

function storable(text: string): string {
  return text.replace(UNSTORABLE, '');
}

/** Shortens first, because this may split a surrogate pair. */
function cutTo(max: number): (text: string) => string {
  return (text) => storable(text.slice(0, max));
}
