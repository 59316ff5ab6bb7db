import { CURRENCY_EXPONENTS } from './currencies.generated.ts';

/**
 * How many decimal places a currency has at the server. Browsers give some currencies fewer, such
 * as `pkr`, and would show a hundred times the amount.
 */
export function digitsOf(currency: string): number {
  return CURRENCY_EXPONENTS[currency] ?? 2;
}

/** `€12.34` for 1234 and `eur`. */
export function formatMoney(amount: number, currency: string): string {
  return formatOf(currency).format(amount / 10 ** digitsOf(currency));
}

/** `12.34` for 1234 and `eur`, as a field takes it. */
export function toDecimal(amount: number, currency: string): string {
  return (amount / 10 ** digitsOf(currency)).toFixed(digitsOf(currency));
}

/** 1234 for `12.34` or `12,34` and `eur`; undefined for anything that is not an amount. */
export function toMinor(text: string, currency: string): number | undefined {
  const digits = digitsOf(currency);
  const [, whole = '', , fraction = ''] = /^(\d{1,12})([.,](\d{0,4}))?$/.exec(text.trim()) ?? [];
  if (whole === '' || fraction.length > digits) return undefined;
  return Number(whole + fraction.padEnd(digits, '0'));
}

function formatOf(currency: string): Intl.NumberFormat {
  const digits = digitsOf(currency);
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat('en', { style: 'currency', currency, ...fraction });
}
