import { PaymountError } from '../errors/paymount-error.ts';

/**
 * Checks a value of the host's own code where TypeScript allows a few strings, because JavaScript
 * callers may pass any value.
 * @param param the name of the parameter in the API
 * @throws PaymountError `parameter_invalid` for any other value, with the choices
 */
export function requireOneOf<const Choice extends string>(
  param: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const words = choices.length > 2 ? `one of ${choices.join(', ')}` : choices.join(' or ');
  throw new PaymountError('parameter_invalid', `${param} must be ${words}.`, { param });
}
