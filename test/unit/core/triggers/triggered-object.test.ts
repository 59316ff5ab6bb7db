import { EVENT_TYPES, eventFamily } from '@paymount/core/changes';
import { expect } from 'chai';
import {
  generateObject,
  triggeredObject,
  type ValidateParameters,
} from '../../../../packages/core/src/triggers/triggered-object.ts';
import { EVENTS } from '../../../support/event-table.ts';

type Fields = Record<string, unknown>;

const OWNER = { accountId: 'acct_1' as never, environment: 'test' } as const;
/** Ends of months and years, a leap day, and clocks that go forward and back. */
const MOMENTS = [
  '2026-01-31T23:59:59.999Z',
  '2026-02-28T00:00:00.000Z',
  '2028-02-29T12:00:00.000Z',
  '2026-03-29T01:30:00.000Z',
  '2026-10-25T01:30:00.000Z',
  '2026-12-31T23:59:59.999Z',
];
const SUMS = [
  { amount: 1, currency: 'jpy' },
  { amount: 99_999_999, currency: 'kwd' },
  { amount: 4_200, currency: 'eur' },
];

const validate: ValidateParameters = (schema, parameters) => schema.parse(parameters);

function objects(): readonly { readonly type: string; readonly object: Fields; at: Date }[] {
  return EVENT_TYPES.flatMap((type) =>
    MOMENTS.flatMap((moment) =>
      SUMS.map((sums) => {
        const at = new Date(moment);
        const object = generateObject(type, { owner: OWNER, at, currency: 'usd' }, sums);
        const wanted = { object, overrides: {} };
        return {
          type,
          at,
          object: triggeredObject(eventFamily(type), wanted, validate),
        };
      }),
    ),
  );
}

/** Every number under a name that is one of money. */
function* amountsIn(value: unknown, name = ''): Generator<[string, number]> {
  if (Array.isArray(value)) for (const each of value) yield* amountsIn(each, name);
  else if (typeof value === 'object' && value !== null) {
    for (const [member, each] of Object.entries(value)) yield* amountsIn(each, member);
  } else if (typeof value === 'number' && /amount|net$/.test(name)) yield [name, value];
}

describe('A generated object', () => {
  it('is valid for its resource at any time and with any amount', () => {
    expect(objects()).to.have.length(Object.keys(EVENTS).length * MOMENTS.length * SUMS.length);
  });

  it('has sums that are nothing, its amount, or its amount back', () => {
    for (const { type, object } of objects()) {
      const amounts = [...amountsIn(object)];
      const [[, whole] = ['', 0]] = amounts.filter(([, amount]) => amount > 0);
      expect(amounts, type).to.not.deep.equal([]);
      for (const [name, amount] of amounts) {
        expect(amount, `${type} ${name}`).to.be.oneOf([0, whole, -whole]);
      }
    }
  });

  it('was made before its event, and no earlier than a month', () => {
    for (const { type, object, at } of objects()) {
      const age = at.getTime() - Date.parse(String(object['created']));
      expect(age, type).to.be.within(0, 31 * 86_400_000);
    }
  });

  it('is never in live mode', () => {
    for (const { object } of objects()) expect(object['livemode']).to.equal(false);
  });
});

describe('What a caller sets in a triggered object', () => {
  const object = { id: 'po_1', object: 'payout', metadata: { a: '1' } };
  const Loose: ValidateParameters = (_, parameters) => parameters as never;

  it('replaces lists and values, and goes into objects', () => {
    const whole = { ...object, list: [1, 2], nested: { deep: { a: 1, b: 2 } }, nothing: null };
    const overrides = { list: [3], nested: { deep: { b: 3 } }, nothing: { a: 1 } };
    expect(triggeredObject('payout', { object: whole, overrides }, Loose)).to.deep.equal({
      ...object,
      list: [3],
      nested: { deep: { a: 1, b: 3 } },
      nothing: { a: 1 },
      metadata: { a: '1', triggered: 'true' },
    });
    expect(whole.nested).to.deep.equal({ deep: { a: 1, b: 2 } });
  });

  it('reaches no prototype', () => {
    const overrides = JSON.parse('{"__proto__":{"polluted":true},"nested":{"__proto__":{"x":1}}}');
    triggeredObject('payout', { object: { ...object, nested: {} }, overrides }, Loose);
    expect('polluted' in {} || 'x' in {}).to.equal(false);
  });
});
