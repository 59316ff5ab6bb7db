import { PaymountError } from '../errors/paymount-error.ts';
import { CURRENCY_DATES, CURRENCY_DIGITS } from './currencies.ts';

/**
 * Whether a text is an ISO 4217 code in lower case, withdrawn or not: there may be money in it. Does
 * not use `Intl`, because its data vary.
 */
export function isCurrency(code: string): boolean {
  return CURRENCY_DIGITS.has(code);
}

/**
 * Refuses new money in a code that is not in force.
 * @param at the time, of which the day in UTC counts
 * @param param the parameter that has the code
 * @throws PaymountError `invalid_currency` that names the day and the successor
 */
export function assertInForce(code: string, at: Date, param: string): void {
  const { from, until, successor } = CURRENCY_DATES[code] ?? {};
  const day = at.toISOString().slice(0, 10);
  if (until !== undefined && until <= day) {
    const instead = successor === undefined ? '' : `; use ${successor}`;
    const message = `${code} was withdrawn from ISO 4217 on ${until}${instead}.`;
    throw new PaymountError('invalid_currency', message, { param });
  }
  if (from !== undefined && from > day) {
    const message = `${code} is in force from ${from} on.`;
    throw new PaymountError('invalid_currency', message, { param });
  }
}

/**
 * An amount as people read it: `1,234.50 EUR` for 123450 and `eur`.
 * @param amount minor units
 */
export function describeMoney(amount: number | bigint, currency: string): string {
  const digits = CURRENCY_DIGITS.get(currency) ?? 2;
  const minor = BigInt(amount);
  const units = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0');
  const whole = inThousands(units.slice(0, units.length - digits));
  const fraction = digits === 0 ? '' : `.${units.slice(-digits)}`;
  return `${minor < 0n ? '-' : ''}${whole}${fraction} ${currency.toUpperCase()}`;
}

/** `1,234,567` for `1234567`. */
function inThousands(digits: string): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) {
    groups.unshift(digits.slice(Math.max(0, end - 3), end));
  }
  return groups.join(',');
}
