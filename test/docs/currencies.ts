import { CURRENCY_DIGITS } from '../../packages/core/src/kernel/input/currencies.ts';

/** The decimal places of currencies for the dashboard, which loads nothing of the core. */
export function currenciesFile(): string {
  const rows = [...CURRENCY_DIGITS].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    '// Generated from the table of the core by `npm run docs`; do not edit.',
    "/** Decimal digits of each currency's minor unit, by code in lower case. */",
    'export const CURRENCY_EXPONENTS: Readonly<Record<string, number>> = {',
    ...rows.map(([code, digits]) => `  ${code}: ${digits},`),
    '};',
    '',
  ].join('\n');
}
