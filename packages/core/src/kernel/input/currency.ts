import { CURRENCY_EXPONENTS } from './currencies.generated.ts';

/** Whether a text is an ISO 4217 code in lower case. Never asks `Intl`, whose data vary. */
export function isCurrency(code: string): boolean {
  return Object.hasOwn(CURRENCY_EXPONENTS, code);
}
