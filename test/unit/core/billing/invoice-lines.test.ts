import { expect } from 'chai';
import {
  totalOf,
  withBalance,
} from '../../../../packages/core/src/billing/invoices/invoice-lines.ts';

describe('the total of an invoice', () => {
  it('is the sum of its lines', () => {
    expect(totalOf([])).to.equal(0);
    expect(totalOf([{ amount: 1_900 }, { amount: -613 }, { amount: 0 }])).to.equal(1_287);
  });

  const cases: readonly (readonly [string, number, number, number, number])[] = [
    ['is due', 1_900, 0, 1_900, 0],
    ['is lowered by a credit', 1_900, -500, 1_400, 0],
    ['leaves what a credit has beyond it', 300, -500, 0, -200],
    ['is paid by a credit of its size', 500, -500, 0, 0],
    ['is raised by what the customer owes', 1_900, 100, 2_000, 0],
    ['becomes a credit if it is negative', -300, 0, 0, -300],
    ['adds a negative total to a credit', -300, -500, 0, -800],
    ['lowers what the customer owes if it is negative', -300, 500, 200, 0],
    ['of nothing leaves the balance as it is', 0, -500, 0, -500],
  ];
  for (const [what, total, balance, amountDue, endingBalance] of cases) {
    it(what, () => {
      expect(withBalance(total, balance)).to.deep.equal({ amountDue, endingBalance });
    });
  }
});
