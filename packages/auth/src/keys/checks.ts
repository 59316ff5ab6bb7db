import { PaymountError } from '@paymount/core';

/** A name without spaces around it. @throws `parameter_invalid` when it is empty or too long */
export function checkedName(name: string, max: number): string {
  const trimmed = name.trim();
  const length = [...trimmed].length;
  if (length < 1 || length > max) throw invalid('name', `A name has 1 to ${max} characters.`);
  return trimmed;
}

/** A parameter that was refused. */
export function invalid(param: string, message: string): PaymountError {
  return new PaymountError('parameter_invalid', message, { param });
}
