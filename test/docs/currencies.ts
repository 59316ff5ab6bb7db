import { createRequire } from 'node:module';

interface Currency {
  readonly code: string;
  readonly digits: number;
}

const { data } = createRequire(import.meta.url)('currency-codes') as {
  readonly data: readonly Currency[];
};

/** Codes of ISO 4217 that are no money: metals, units of account, testing, none. */
const NOT_MONEY = new Set([
  'xag',
  'xau',
  'xba',
  'xbb',
  'xbc',
  'xbd',
  'xdr',
  'xpd',
  'xpt',
  'xsu',
  'xts',
  'xua',
  'xxx',
]);

/** The exponent table of the core, from the published list. */
export function currenciesFile(): string {
  const rows = data
    .map(({ code, digits }) => [code.toLowerCase(), digits] as const)
    .filter(([code]) => !NOT_MONEY.has(code))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    '// Generated from ISO 4217 by `npm run docs`; do not edit.',
    "/** Decimal digits of each currency's minor unit, by code in lower case. */",
    'export const CURRENCY_EXPONENTS: Readonly<Record<string, number>> = {',
    ...rows.map(([code, digits]) => `  ${code}: ${digits},`),
    '};',
    '',
  ].join('\n');
}
