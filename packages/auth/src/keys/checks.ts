import { PaymountError } from '@paymount/core';
import { refuseForbiddenText } from '../leaks/forbidden-text.ts';

/**
 * A name without spaces around it.
 * @throws `parameter_invalid` when it is empty or too long; `raw_card_data_not_allowed`,
 *   `secret_in_text` for what the audit log would keep for good
 */
export function checkedName(name: string, max: number): string {
  const trimmed = name.trim();
  const length = [...trimmed].length;
  if (length < 1 || length > max) throw invalid('name', `A name has 1 to ${max} characters.`);
  refuseForbiddenText(trimmed, { param: 'name', cards: true });
  return trimmed;
}

/** A parameter that was refused. */
export function invalid(param: string, message: string): PaymountError {
  return new PaymountError('parameter_invalid', message, { param });
}
