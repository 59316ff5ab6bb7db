import { expect } from 'chai';
import { readOverrides } from '../../../packages/cli/src/overrides.ts';

describe('the option --override', () => {
  it('is a tree of JSON values, and of texts where there is no JSON', () => {
    expect(
      readOverrides([
        'amount=5000',
        'currency=usd',
        'card.brand=visa',
        'card.exp_year=2040',
        'metadata.order="6735"',
        'metadata.note=a=b c',
        'metadata.count=7',
        'captured=false',
        'description=null',
        'items=[1,{"a":2}]',
        'empty=',
        'toString=x',
      ]),
    ).to.deep.equal({
      amount: 5000,
      currency: 'usd',
      card: { brand: 'visa', exp_year: 2040 },
      metadata: { order: '6735', note: 'a=b c', count: '7' },
      captured: false,
      description: null,
      items: [1, { a: 2 }],
      empty: '',
      toString: 'x',
    });
  });

  it('is refused without a path, or with an invalid one', () => {
    for (const override of [
      'amount',
      '=1',
      '',
      '.a=1',
      'a.=1',
      'a..b=1',
      'a b=1',
      '1=2',
      '__proto__.a=1',
      'a.__proto__=1',
      'constructor.prototype.a=1',
      'a.b.c.d.e.f.g.h.i=1',
    ]) {
      expect(() => readOverrides([override]), override).to.throw('--override takes path=value');
    }
    expect({}).to.not.have.property('a');
  });

  it('is refused where one contradicts another', () => {
    for (const two of [
      ['a=1', 'a=2'],
      ['a=1', 'a.b=2'],
      ['a.b=2', 'a=1'],
    ]) {
      expect(() => readOverrides(two), two.join()).to.throw('twice');
    }
  });
});
