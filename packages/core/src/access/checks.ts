import { PaymountError } from '../kernel/errors/paymount-error.ts';
import { nameHint } from '../kernel/input/input.ts';
import { isOneLine } from '../kernel/input/one-line.ts';
import { assertNoForbiddenText } from './credentials/forbidden-text.ts';

/**
 * Parameters that the host's own code passed: JavaScript callers may leave out required parameters,
 * and their members are then missing.
 * @throws `parameter_invalid` if it is not an object
 */
export function requireParameters<Input extends object>(input: Input | undefined): Partial<Input> {
  const given = input ?? {};
  if (typeof given === 'object' && !Array.isArray(given)) return given;
  throw new PaymountError('parameter_invalid', 'The parameters must be an object.');
}

/** A required member. @param param its name @throws `parameter_missing` */
export function present<Value>(param: string, value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new PaymountError('parameter_missing', `${param} is required.`, { param });
}

/**
 * A name without surrounding spaces.
 * @throws `parameter_missing`; `parameter_invalid` if it is not a text, empty, too long or not one line;
 *   `raw_card_data_not_allowed`, `secret_in_text` for content that the audit log would keep forever
 */
export function checkedName(name: unknown, max: number): string {
  const given = present('name', name);
  const trimmed = typeof given === 'string' ? given.trim() : '';
  if (trimmed === '' || [...trimmed].length > max || !isOneLine(trimmed)) {
    throw invalid('name', `name must be ${nameHint(max)}.`);
  }
  assertNoForbiddenText(trimmed, { param: 'name', cards: true });
  return trimmed;
}

/** The error for a wrong parameter. */
export function invalid(param: string, message: string): PaymountError {
  return new PaymountError('parameter_invalid', message, { param });
}
