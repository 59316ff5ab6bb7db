import { expect } from 'chai';
import { CURRENCY_DIGITS } from '../../packages/core/src/kernel/input/currencies.ts';
import {
  digitsOf,
  formatMoney,
  toDecimal,
  toMinor,
} from '../../packages/dashboard/app/ui/minor-units.ts';

describe('Amounts in the dashboard', () => {
  it('have as many decimal places as the server gives their currency', () => {
    const shown = [...CURRENCY_DIGITS.keys()].map((currency) => [currency, digitsOf(currency)]);
    expect(shown).to.deep.equal([...CURRENCY_DIGITS]);
  });

  it('are read from a field without a rounding error', () => {
    for (const [text, currency, amount] of [
      ['12.34', 'eur', 1234],
      ['12,3', 'eur', 1230],
      ['0.29', 'usd', 29],
      ['1.15', 'usd', 115],
      ['70', 'jpy', 70],
      ['1.234', 'kwd', 1234],
      ['12.', 'eur', 1200],
      ['12.345', 'eur', undefined],
      ['70.5', 'jpy', undefined],
      ['1,000.00', 'usd', undefined],
      ['-1', 'eur', undefined],
      ['1e3', 'eur', undefined],
      ['', 'eur', undefined],
    ] as const) {
      expect(toMinor(text, currency), text).to.equal(amount);
    }
    expect([toDecimal(1234, 'eur'), toDecimal(70, 'jpy')]).to.deep.equal(['12.34', '70']);
    expect(formatMoney(1234, 'eur')).to.equal('€12.34');
    expect([formatMoney(1234, 'pkr'), formatMoney(70, 'jpy')]).to.deep.equal([
      'PKR\u00a012.34',
      '¥70',
    ]);
  });
});
