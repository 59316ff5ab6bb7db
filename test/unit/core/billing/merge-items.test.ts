import { newId, PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import {
  type ItemEntry,
  mergeItems,
  type SoldPrice,
} from '../../../../packages/core/src/billing/subscriptions/merge-items.ts';
import { begin } from './play-subscription.ts';

const AT = new Date('2030-04-16T00:00:00Z');

function price(name: string, changes: Partial<SoldPrice> = {}): SoldPrice {
  return {
    accountId: newId('acct'),
    environment: 'test',
    id: newId('price'),
    version: 1,
    productId: newId('prod'),
    currency: 'eur',
    unitAmount: 6_000,
    recurring: { interval: 'month', intervalCount: 1, trialPeriodDays: null },
    created: AT,
    active: true,
    lookupKey: null,
    nickname: null,
    metadata: {},
    name,
    ...changes,
  };
}

const YEAR = { interval: 'year', intervalCount: 1, trialPeriodDays: null } as const;
const start = begin({ plan: { a: ['Basic', 3_000, 2], b: ['Extra', 1_500] } });
const [basic, extra] = start.items;
const basicId = basic?.id ?? '';
const extraId = extra?.id ?? '';

function merged(entries: readonly ItemEntry[], before: typeof start | undefined = start) {
  return mergeItems(before, entries, AT);
}

function refusal(entries: readonly ItemEntry[], before: typeof start | null = start): unknown {
  try {
    mergeItems(before ?? undefined, entries, AT);
  } catch (error) {
    if (error instanceof PaymountError) return [error.code, error.param];
    throw error;
  }
  return undefined;
}

describe('the items of a request', () => {
  it('change, remove and add, and leave out what stays', () => {
    const pro = price('Pro');
    const { items } = merged([
      { id: basicId, quantity: 5 },
      { id: extraId, deleted: true },
      { price: pro, metadata: { seat: 'all' } },
    ]);
    expect(items.map(({ name, quantity, metadata }) => [name, quantity, metadata])).to.deep.equal([
      ['Basic', 5, {}],
      ['Pro', 1, { seat: 'all' }],
    ]);
    expect(items[0]?.id).to.equal(basicId);
  });

  it('begin with one unit if they get another price and no quantity', () => {
    const { items } = merged([{ id: basicId, price: price('Pro') }]);
    expect(
      items.map(({ name, quantity, unitAmount }) => [name, quantity, unitAmount]),
    ).to.deep.equal([
      ['Pro', 1, 6_000],
      ['Extra', 1, 1_500],
    ]);
    expect(merged([{ id: basicId, metadata: { a: 'b' } }]).items[0]?.quantity).to.equal(2);
  });

  it('of a new subscription give it its currency and interval', () => {
    const yearly = price('Yearly', { recurring: YEAR, currency: 'usd' });
    const { currency, interval, intervalCount } = mergeItems(undefined, [{ price: yearly }], AT);
    expect([currency, interval, intervalCount]).to.deep.equal(['usd', 'year', 1]);
  });

  it('all get another interval at once', () => {
    const { interval } = merged([
      { id: basicId, price: price('Yearly', { recurring: YEAR }) },
      { id: extraId, price: price('Extra a year', { recurring: YEAR }) },
    ]);
    expect(interval).to.equal('year');
  });

  it('may keep a price that is not active any more', () => {
    const old = price('Basic', { id: basic?.priceId ?? newId('price'), active: false });
    expect(merged([{ id: basicId, price: old, quantity: 3 }]).items[0]?.quantity).to.equal(3);
  });

  const many = Array.from({ length: 19 }, (_, index) => ({
    price: price(`P${index}`, { unitAmount: 1 }),
  }));
  const REFUSED: readonly (readonly [string, readonly ItemEntry[], string, string])[] = [
    ['an unknown item', [{ id: newId('si'), quantity: 1 }], 'resource_missing', 'items[0][id]'],
    ['no price', [{ quantity: 1 }], 'parameter_missing', 'items[0][price]'],
    [
      'an inactive price',
      [{ price: price('P', { active: false }) }],
      'price_inactive',
      'items[0][price]',
    ],
    [
      'a price that is charged once',
      [{ price: price('P', { recurring: null }) }],
      'price_not_recurring',
      'items[0][price]',
    ],
    [
      'another currency',
      [{ price: price('P', { currency: 'usd' }) }],
      'subscription_currency_mismatch',
      'items[0][price]',
    ],
    [
      'another interval',
      [{ id: basicId, quantity: 1 }, { price: price('P', { recurring: YEAR }) }],
      'price_interval_mismatch',
      'items',
    ],
    [
      'another number of intervals',
      [
        { price: price('P') },
        { price: price('Q', { recurring: { ...YEAR, interval: 'month', intervalCount: 2 } }) },
      ],
      'price_interval_mismatch',
      'items[1][price]',
    ],
    [
      'a price that another item has',
      [{ price: price('Basic', { id: basic?.priceId ?? newId('price') }) }],
      'subscription_item_exists',
      'items[0][price]',
    ],
    [
      'no items',
      [
        { id: basicId, deleted: true },
        { id: extraId, deleted: true },
      ],
      'subscription_item_required',
      'items',
    ],
    ['more than 20 items', many, 'subscription_item_limit_reached', 'items'],
    [
      'a line that costs too much',
      [{ id: basicId, quantity: 999_999 }],
      'amount_too_large',
      'items',
    ],
    [
      'lines that cost too much together',
      [{ price: price('P', { unitAmount: 99_999_999 }) }],
      'amount_too_large',
      'items',
    ],
    [
      'too long metadata',
      [{ id: basicId, metadata: { a: 'x'.repeat(501) } }],
      'metadata_limit_exceeded',
      'items[0][metadata][a]',
    ],
  ];
  for (const [what, entries, code, param] of REFUSED) {
    it(`are refused with ${what}`, () => {
      expect(refusal(entries)).to.deep.equal([code, param]);
    });
  }

  it('of a new subscription must have one currency and one interval', () => {
    const eur = { price: price('P') };
    expect(refusal([eur, { price: price('Q', { currency: 'usd' }) }], null)).to.deep.equal([
      'subscription_currency_mismatch',
      'items[1][price]',
    ]);
    expect(refusal([eur, { price: price('Q', { recurring: YEAR }) }], null)).to.deep.equal([
      'price_interval_mismatch',
      'items[1][price]',
    ]);
  });
});
