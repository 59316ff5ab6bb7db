import { type OpenApi, resolved, type Schema } from './documents.ts';

/** One parameter that is broken, and how the refusal names the fault. */
export interface Breakage {
  readonly what: string;
  readonly path: readonly string[];
  readonly value: unknown;
  readonly code: string;
  /** Where the refusal sees the fault. */
  readonly at: readonly string[];
}

/** A parameter with its schema. */
export interface Parameter {
  readonly path: readonly string[];
  readonly schema: Schema;
}

/** How parameters are written. */
export type Encoding = 'json' | 'form';

/** What a parameter takes; `either`: a text or an object. */
type Kind =
  | 'integer'
  | 'boolean'
  | 'text'
  | 'moment'
  | 'bounds'
  | 'list'
  | 'object'
  | 'either'
  | 'metadata';

/** The code is `parameter_invalid` where none is given; `below`: where in the value the fault is. */
type Wrong = readonly [
  what: string,
  value: unknown,
  code?: string | undefined,
  below?: readonly string[],
];

const NUL: Wrong = ['NUL', 'a\u0000b'];
const LONE_SURROGATE: Wrong = ['a lone surrogate', 'a\ud800b'];
const EMPTY: Wrong = ['an empty text', '', 'parameter_invalid_empty'];
const NO_TEXTS: readonly Wrong[] = [
  ['true', true],
  ['null', null],
  ['a list', ['x']],
];
/** Members whose names could reach a prototype. */
const PROTOTYPES = ['__proto__', 'constructor', 'prototype'].map(
  (name): Wrong => [`a member ${name}`, JSON.parse(`{"${name}":"x"}`), 'parameter_unknown', [name]],
);
const UNKNOWN_MEMBER: Wrong = [
  'an unknown member',
  { no_member: 'x' },
  'parameter_unknown',
  ['no_member'],
];

const METADATA: readonly Wrong[] = [
  ...PROTOTYPES,
  ['a name with NUL', { 'a\u0000': 'x' }, 'parameter_invalid', ['a\u0000']],
  ['a value with NUL', { k: 'a\u0000' }, 'parameter_invalid', ['k']],
  ['a value with members', { k: { a: 'x' } }, 'parameter_invalid', ['k']],
  // The services check these, because they know what is stored already.
  ['a name of 41 characters', { ['k'.repeat(41)]: 'v' }, 'metadata_limit_exceeded'],
  ['a value of 501 characters', { k: 'v'.repeat(501) }, 'metadata_limit_exceeded', ['k']],
  [
    '51 members',
    Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v'])),
    'metadata_limit_exceeded',
  ],
];

/** Values that are none of a kind. */
const WRONG: Readonly<Record<Encoding, Readonly<Record<Kind, readonly Wrong[]>>>> = {
  json: {
    integer: [
      ...[...NO_TEXTS, ['a text', '10'] as const, ['a fraction', 10.5] as const].map(asInteger),
      asInteger(['an object', { a: 10 }]),
      EMPTY,
    ],
    boolean: [...NO_TEXTS.slice(1), ['a text', 'true'], ['a number', 1], EMPTY],
    text: [...NO_TEXTS, ['a number', 1], ['an object', { a: 'x' }], NUL, LONE_SURROGATE],
    moment: [
      ...NO_TEXTS,
      ['a word', 'yesterday'],
      ['no zone', '2031-01-01T00:00:00'],
      ['no such day', '2031-02-30T00:00:00Z'],
      ['the year 10000', '+010000-01-01T00:00:00Z'],
      ['minus one', -1],
      ['a fraction', 1.5],
      ['1e300', 1e300],
      EMPTY,
    ],
    bounds: [...NO_TEXTS, ['a word', 'yesterday'], UNKNOWN_MEMBER, ...PROTOTYPES],
    list: [
      ...NO_TEXTS.slice(0, 2),
      ['a number', 1],
      ['a text', 'x'],
      ['an object', { a: 'x' }],
      ['101 items', Array(101).fill('x')],
    ],
    object: [...NO_TEXTS, ['a number', 1], ['a text', 'x'], UNKNOWN_MEMBER, ...PROTOTYPES],
    either: [...NO_TEXTS, ['a number', 1], UNKNOWN_MEMBER, ...PROTOTYPES],
    metadata: [
      ...NO_TEXTS,
      ['a text', 'x'],
      ['a number as a value', { k: 1 }, 'parameter_invalid', ['k']],
      ['null as a value', { k: null }, 'parameter_invalid', ['k']],
      ...METADATA,
    ],
  },
  form: {
    integer: [
      ...['abc', '1e3', '+1', '1.5', ' 1', '0x10', '١', '--1', 'true'].map((text) =>
        asInteger([`"${text}"`, text]),
      ),
      asInteger(['a list', [1]]),
      asInteger(['a member', { a: 1 }]),
      EMPTY,
    ],
    boolean: [
      ...['yes', '1', 'TRUE', 'null'].map((text): Wrong => [`"${text}"`, text]),
      ['a member', { a: true }],
      EMPTY,
    ],
    text: [['a member', { a: 'x' }], NUL, LONE_SURROGATE],
    moment: [
      ['a word', 'yesterday'],
      ['minus one', '-1'],
      ['a fraction', '1.5'],
      ['1e300', '1e300'],
      ['300 digits', '9'.repeat(300)],
      ['a member', { a: 1 }],
      EMPTY,
    ],
    bounds: [['a word', 'yesterday'], UNKNOWN_MEMBER, ...PROTOTYPES],
    list: [['a member', { a: 'x' }]],
    object: [['a text', 'x'], UNKNOWN_MEMBER, ...PROTOTYPES],
    either: [UNKNOWN_MEMBER, ...PROTOTYPES],
    metadata: [['a text', 'x'], ...METADATA],
  },
};

function asInteger([what, value]: Wrong): Wrong {
  return [what, value, 'parameter_invalid_integer'];
}

/** Codes of parameters that have their own, by name: below a limit, above it. A sum may be signed. */
const LIMIT_CODES: Readonly<Record<string, readonly [below: string, above: string]>> = {
  unit_amount: ['parameter_invalid', 'amount_too_large'],
  amount: ['amount_too_small', 'amount_too_large'],
  exp_month: ['invalid_expiry_month', 'invalid_expiry_month'],
  exp_year: ['invalid_expiry_year', 'invalid_expiry_year'],
};

/** What texts take too, by name: words or times, of which the document shows one type for generated clients. */
const TAKEN_TOO: Readonly<Record<string, readonly string[]>> = {
  trial_end: ['a number'],
  cancel_at: ['a number'],
  billing_cycle_anchor: ['a number', 'an object', 'a member'],
};

/** What can be wrong with a parameter, one thing at a time. */
export function breakagesOf(
  document: OpenApi,
  { path, schema }: Parameter,
  encoding: Encoding,
): readonly Breakage[] {
  const kind = kindOf(document, schema);
  const limits = beyondLimits(document, schema, path.at(-1) ?? '');
  const [isNullable, isUnsettable] = [takes(document, schema, null), takes(document, schema, '')];
  return [...WRONG[encoding][kind], ...limits].flatMap(
    ([what, value, code = 'parameter_invalid', below = []]) => {
      if (kind === 'text' && TAKEN_TOO[path.at(-1) ?? '']?.includes(what)) return [];
      if (value === null && isNullable) return [];
      if (value === '' && isUnsettable) return [];
      return [{ what, path, value, code, at: [...path, ...below] }];
    },
  );
}

/** Whether a form may send it only once. */
export function takesOneValue(document: OpenApi, schema: Schema): boolean {
  return ['integer', 'boolean', 'text', 'moment'].includes(kindOf(document, schema));
}

/** Whether it may be null, or an empty text that removes what is stored. */
function takes(document: OpenApi, schema: Schema, value: null | ''): boolean {
  const { type, format, anyOf = [] } = resolved(document, schema);
  // The document shows one type of time, which either removes.
  const isEither = value === null || format === 'date-time';
  if (isEither && [type].flat().includes('null')) return true;
  return anyOf.some((option) => option.const === value || takes(document, option, value));
}

function kindOf(document: OpenApi, schema: Schema): Kind {
  if (schema.$ref?.endsWith('/CreatedFilter')) return 'bounds';
  const { type, format, anyOf, propertyNames } = resolved(document, schema);
  if (propertyNames !== undefined) return 'metadata';
  const options = anyOf?.filter((option) => option.const !== '' && option.type !== 'null') ?? [];
  const [first, ...rest] = new Set(options.map((option) => kindOf(document, option)));
  if (first !== undefined) return rest.length === 0 ? first : 'either';
  if (format === 'date-time') return 'moment';
  const one = [type].flat().find((each) => each !== 'null');
  if (one === 'integer' || one === 'boolean' || one === 'object') return one;
  return one === 'array' ? 'list' : 'text';
}

function beyondLimits(document: OpenApi, schema: Schema, name: string): readonly Wrong[] {
  const at = resolved(document, schema);
  const { minimum, maximum, minLength = 0, maxLength, maxItems, items, pattern } = at;
  const [under, above] = LIMIT_CODES[name] ?? [];
  // A signed amount is limited by its size.
  const below = minimum !== undefined && minimum < 0 ? above : under;
  const unknown = unknownWordCode(schema, name);
  const item = items === undefined ? undefined : resolved(document, items).enum?.[0];
  const isNeverEmpty = minLength > 0 || pattern !== undefined || at.enum !== undefined;
  const all: readonly (Wrong | false)[] = [
    minimum !== undefined && ['below the minimum', minimum - 1, below],
    maximum !== undefined && ['above the maximum', maximum + 1, above],
    maximum !== undefined && ['2^53', Number.MAX_SAFE_INTEGER + 1, above],
    maxLength !== undefined && ['too long', 'a'.repeat(maxLength + 1), unknown],
    isNeverEmpty && ['an empty text', '', unknown ?? 'parameter_invalid_empty'],
    maxItems !== undefined && ['too many items', Array(maxItems + 1).fill(item ?? 'x')],
    pattern !== undefined && ['other characters', '<'],
    (at.enum !== undefined || unknown !== undefined) && ['another word', 'other', unknown],
  ];
  return all.filter((each) => each !== false);
}

/** The code of its own that a text has which is none of the known words. */
function unknownWordCode(schema: Schema, name: string): string | undefined {
  if (/^(?:default_)?currency$/.test(name)) return 'invalid_currency';
  return schema.$ref?.endsWith('/EventPattern') ? 'event_type_unknown' : undefined;
}
