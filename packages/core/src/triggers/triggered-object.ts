import { z } from 'zod';
import type { EventFamily, EventType } from '../changes/events/event-types.ts';
import type { EventObject } from '../events/catalogue/catalogue-entry.ts';
import { EVENT_CATALOGUE, EVENT_FAMILIES } from '../events/catalogue/event-catalogue.ts';
import type { FixtureFacts } from '../events/catalogue/fixture.ts';
import { PaymountError } from '../kernel/errors/paymount-error.ts';
import { AmountInput, CurrencyInput } from '../kernel/input/input.ts';
import { mergeMetadata } from '../kernel/input/metadata.ts';
import type { ChargeJson } from '../payments/charges/charge-resource.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Checks values as request parameters are checked. @throws PaymountError naming the wrong one */
export type ValidateParameters = <Schema extends z.ZodType>(
  schema: Schema,
  parameters: Fields,
) => z.output<Schema>;

/** The facts of an invented object that the caller sets. */
interface Money {
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
}

/** The identity and owner of the object; the caller cannot set these. */
const FIXED = ['id', 'object', 'livemode'] as const;
/** All sums of an invented object follow from these. */
const MoneyInput = z.object({
  overrides: z.object({ amount: AmountInput.optional(), currency: CurrencyInput.optional() }),
});
const DEFAULT_AMOUNT = 4_200;
/** In the metadata of every triggered object. */
const MARK = { triggered: 'true' } as const;

/**
 * Checks the overrides that any object accepts.
 * @throws PaymountError naming an override that the caller cannot set, or a wrong amount or
 *   currency
 */
export function parseMoney(overrides: Fields, validate: ValidateParameters): Money {
  const fixed = FIXED.find((name) => Object.hasOwn(overrides, name));
  if (fixed !== undefined) {
    const param = `overrides[${fixed}]`;
    throw new PaymountError('parameter_invalid', `${param} cannot be changed.`, {
      param,
    });
  }
  return validate(MoneyInput, { overrides }).overrides;
}

/** An object in the state that an event of this type shows; it is not stored. */
export function generateObject(
  type: EventType,
  facts: Omit<FixtureFacts, 'amount'>,
  { amount = DEFAULT_AMOUNT, currency = facts.currency }: Money,
): EventObject {
  return EVENT_CATALOGUE[type].fixture({ ...facts, amount, currency });
}

/**
 * The object as its event shows it: with the caller's overrides, and marked.
 * @throws PaymountError naming the override that breaks the resource
 */
export function triggeredObject(
  family: EventFamily,
  { object, overrides }: { readonly object: EventObject; readonly overrides: Fields },
  validate: ValidateParameters,
): EventObject {
  const schema = z.strictObject({ overrides: EVENT_FAMILIES[family].schema });
  const validated = validate(schema, { overrides: merged(object, overrides) }).overrides;
  if (validated.object === 'charge') assertAmounts(validated);
  const metadata = mergeMetadata(MARK, validated.metadata, 'overrides[metadata]');
  return { ...validated, metadata: { ...metadata, ...MARK } };
}

/** @throws PaymountError naming the sum that contradicts the other sums of the charge */
function assertAmounts(charge: ChargeJson): void {
  const { amount, amount_captured: captured, amount_refunded: refunded } = charge;
  assertAmount('amount_captured', captured, { of: 'amount', most: amount });
  assertAmount('amount_refunded', refunded, { of: 'amount_captured', most: captured });
}

function assertAmount(
  name: string,
  sum: number,
  { of, most }: { readonly of: string; readonly most: number },
): void {
  if (sum >= 0 && sum <= most) return;
  const param = `overrides[${name}]`;
  const message = `${param} must be 0 to ${most}, which is the ${of} of the charge.`;
  throw new PaymountError('parameter_invalid', message, { param });
}

/** Merges objects, and replaces everything else. */
function merged(fields: Fields, changes: Fields): Fields {
  const all = new Map(Object.entries(fields));
  for (const [name, change] of Object.entries(changes)) {
    const field = all.get(name);
    all.set(name, isFields(field) && isFields(change) ? merged(field, change) : change);
  }
  return Object.fromEntries(all);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
