import { CURRENCY_EXPONENTS } from './currencies.generated.ts';

/** Whether a text is an ISO 4217 code in lower case. Does not use `Intl`, because its data vary. */
export function isCurrency(code: string): boolean {
  return Object.hasOwn(CURRENCY_EXPONENTS, code);
}
