import { z } from 'zod';
import { withErrorHint } from '../errors/error-hints.ts';
import { isCurrency } from './currency.ts';
import { isOneLine } from './one-line.ts';

/** The limits of every amount, in minor units. */
const MIN_AMOUNT = 1;
const MAX_AMOUNT = 99_999_999;

/** Text with a maximum length in code points; an emoji counts as one character. */
export function text(max: number): z.ZodString {
  return withErrorHint(bounded(max, 0), `a text of at most ${max} characters`);
}

/** A display name on one line, not only blanks; a service trims it. */
export function name(max: number): z.ZodString {
  const named = bounded(max, 1).refine((value) => value.trim() !== '' && isOneLine(value));
  return withErrorHint(named, nameHint(max));
}

/** What a name must be, as errors say it. */
export function nameHint(max: number): string {
  return `one line of 1 to ${max} characters, not only spaces, without bidirectional controls`;
}

/** A reason or a note of any number of lines, not only blanks; a service trims it. */
export function reason(max: number): z.ZodString {
  const given = bounded(max, 1).refine((value) => value.trim() !== '');
  return withErrorHint(given, `a text of 1 to ${max} characters, not only spaces`);
}

/**
 * The document needs the limit separately, because it cannot see into a refinement. It counts code
 * points too.
 */
function bounded(maxLength: number, least: number): z.ZodString {
  const text = least === 0 ? z.string() : z.string().min(least);
  return text.refine((value) => [...value].length <= maxLength).meta({ override: { maxLength } });
}

/** The end of the year 9999: the last second that ISO 8601 writes with four digits. */
const MAX_SECONDS = 253_402_300_799;

/** Unix seconds. */
export const SecondsInput = withErrorHint(z.int().min(0).max(MAX_SECONDS), 'unix seconds');
/** ISO 8601 with a zone, from 1970 to 9999, the same range as unix seconds. */
export const IsoInput = withErrorHint(
  z.iso.datetime({ offset: true }).max(40).refine(isWithinSeconds),
  'an ISO 8601 time such as 2026-11-21T18:00:00Z, from 1970 to 9999',
);

function isWithinSeconds(iso: string): boolean {
  const seconds = Date.parse(iso) / 1000;
  return seconds >= 0 && seconds < MAX_SECONDS + 1;
}

/** A moment in time, as a `Date`. */
export const MomentInput = z
  .union([SecondsInput, IsoInput])
  .transform((value) => new Date(typeof value === 'number' ? value * 1000 : value))
  .meta({
    description: 'ISO 8601 with a zone, or unix seconds.',
    override: shownAsTime,
  });

/**
 * Describes a time in the document: generated clients need one type, and theirs for times is ISO.
 */
export function shownAsTime({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
}

/** An amount in minor units. */
export const AmountInput = z
  .int()
  .refine((amount) => amount >= MIN_AMOUNT, {
    error: 'An amount is at least 1 minor unit.',
    params: { code: 'amount_too_small' },
    abort: true,
  })
  .refine((amount) => amount <= MAX_AMOUNT, {
    error: 'An amount is at most 99,999,999 minor units.',
    params: { code: 'amount_too_large' },
  })
  .meta({
    description: 'Minor units of the currency, 1 to 99,999,999.',
    example: 4200,
    // Refinements carry the error codes, and a document cannot see into them.
    override: { minimum: MIN_AMOUNT, maximum: MAX_AMOUNT },
  });

/**
 * An ISO 4217 code, in lower case from here on. Withdrawn ones are accepted: there may be money in
 * them. What makes new money calls `assertInForce`.
 */
export const CurrencyInput = z
  .string()
  .toLowerCase()
  .refine(isCurrency, {
    error: 'A currency is an ISO 4217 code, such as eur.',
    params: { code: 'invalid_currency' },
  })
  .meta({
    description: 'ISO 4217; answers have it in lower case.',
    example: 'eur',
    override: { minLength: 3, maxLength: 3 },
  });

/**
 * An e-mail address; checked by zod's linear expression. At most 64 of its 320 characters may be
 * before the `@` (RFC 5321, 4.5.3.1).
 */
export const EmailInput = withErrorHint(
  z
    .email()
    .max(320)
    .refine((address) => address.indexOf('@') <= 64),
  'an e-mail address such as ada@example.com',
);

export const AddressInput = z
  .strictObject({
    city: text(200).optional(),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, { error: 'A country is an ISO 3166-1 alpha-2 code, such as DE.' })
      .optional(),
    line1: text(200).optional(),
    line2: text(200).optional(),
    postal_code: text(20).optional(),
    state: text(200).optional(),
  })
  .meta({ id: 'AddressInput' });
