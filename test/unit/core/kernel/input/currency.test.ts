import { describeMoney } from '@paymount/core/kernel';
import { expect } from 'chai';
import {
  CURRENCY_DATES,
  CURRENCY_DIGITS,
} from '../../../../../packages/core/src/kernel/input/currencies.ts';

describe('The table of currencies', () => {
  it('has the codes that are money of list one, published on 2026-01-01, by their digits', () => {
    const counts = new Map<number, number>();
    for (const [code, digits] of CURRENCY_DIGITS) {
      expect(code).to.match(/^[a-z]{3}$/);
      if (CURRENCY_DATES[code]?.until !== undefined) continue;
      counts.set(digits, (counts.get(digits) ?? 0) + 1);
    }
    // Of 139 codes with two digits it leaves out xad, a unit of account.
    expect(Object.fromEntries(counts)).to.deep.equal({ 0: 17, 2: 138, 3: 7, 4: 2 });
  });

  it('knows what the latest amendments changed', () => {
    expect([CURRENCY_DIGITS.get('xcg'), CURRENCY_DATES['xcg']]).to.deep.equal([
      2,
      { from: '2025-03-31' },
    ]);
    const withdrawn = Object.entries(CURRENCY_DATES).filter(([, { until }]) => until !== undefined);
    expect(Object.fromEntries(withdrawn)).to.deep.equal({
      // Amendment 180.
      bgn: { until: '2026-01-01', successor: 'eur' },
      ang: { until: '2025-03-31', successor: 'xcg' },
      cuc: { until: '2021-06-30', successor: 'cup' },
    });
    for (const { successor = 'eur' } of Object.values(CURRENCY_DATES)) {
      expect(CURRENCY_DIGITS.has(successor), successor).to.equal(true);
    }
  });
});

describe('Money for people', () => {
  for (const [amount, currency, text] of [
    [2_500, 'eur', '25.00 EUR'],
    [123_456_789, 'usd', '1,234,567.89 USD'],
    [100_000, 'usd', '1,000.00 USD'],
    [5, 'eur', '0.05 EUR'],
    [0, 'eur', '0.00 EUR'],
    [-1_234_56, 'eur', '-1,234.56 EUR'],
    [1_234, 'jpy', '1,234 JPY'],
    [1_234, 'kwd', '1.234 KWD'],
    [12_345_678n, 'clf', '1,234.5678 CLF'],
    [100, 'ang', '1.00 ANG'],
  ] as const) {
    it(`is ${text} for ${amount} ${currency}`, () => {
      expect(describeMoney(amount, currency)).to.equal(text);
    });
  }
});
