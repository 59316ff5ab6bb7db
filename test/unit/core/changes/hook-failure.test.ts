import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import { HookError } from '../../../../packages/core/src/changes/change.ts';
import { hookFailure } from '../../../../packages/core/src/changes/hook-failure.ts';

function failure(thrown: unknown): { readonly code: unknown; readonly told: string } {
  const error = new HookError('The hook failed.', { cause: thrown });
  const { facts, sentence } = hookFailure(error, 'ch_1', 'It is offered again.');
  expect(facts['charge']).to.equal('ch_1');
  const [, told] = /^The hook refused the result of ch_1: (.*)\. It is offered again\.$/.exec(
    sentence,
  ) ?? [undefined, sentence];
  return { code: facts['code'], told };
}

/** Without the place of the tests themselves. */
function withoutStack<Thrown extends Error>(error: Thrown): Thrown {
  return Object.assign(error, { stack: undefined });
}

function told(thrown: unknown): string {
  return failure(thrown).told;
}

describe('hookFailure', () => {
  const secrets: readonly (readonly [what: string, text: string, secret: string])[] = (() => {
    const key = mintKey('secret', 'live');
    return [
      ['a key', key, key.slice('sk_live_'.length)],
      ['a password', 'postgres://shop:hunter2horse@db.test/shop', 'hunter2horse'],
      ['a card number', '4012 8888 8888 1881', '4012 8888 8888 1881'],
    ] as const;
  })();

  it('ends a message that is a sentence with one full stop', () => {
    const limit = withoutStack(new Error('The hook did not end within 5000 ms.'));
    expect(
      hookFailure(new HookError('Failed.', { cause: limit }), 'ch_1', 'Next.').sentence,
    ).to.equal(
      'The hook refused the result of ch_1: Error: The hook did not end within 5000 ms. Next.',
    );
    const cause = new TypeError('No order.', { cause: limit });
    expect(told(withoutStack(cause))).to.equal(
      'TypeError: No order; caused by Error: The hook did not end within 5000 ms',
    );
  });

  for (const [what, text, secret] of secrets) {
    it(`shows no part of ${what}, wherever the message is cut`, () => {
      const parts = Array.from({ length: secret.length - 3 }, (_, at) => secret.slice(at, at + 4));
      for (let before = 230 - text.length; before <= 250; before += 1) {
        const near = `${'x'.repeat(before - 1)} ${text} ${'y'.repeat(600)}`;
        const far = `${'x'.repeat(600)} ${text} ${'y'.repeat(before - 1)}`;
        for (const message of [near, far]) {
          const shown = told(withoutStack(new Error(message)));
          expect(shown).to.include(' … ').and.to.have.length.below(600);
          expect(parts.filter((part) => shown.includes(part))).to.deep.equal([]);
        }
      }
    });
  }

  it('shows no secret from a code or a name', () => {
    const [, key] = secrets[0] ?? [];
    const error = withoutStack(
      Object.assign(new Error('no'), { code: `E ${key}`, name: `N ${key}` }),
    );
    expect(failure(error)).to.deep.equal({ code: 'E [secret]', told: 'N [secret]: no' });
  });

  it('describes a thrown value that is not an ordinary error', () => {
    const broken = new Proxy(new Error('no'), {
      get() {
        throw new Error('no property');
      },
      getPrototypeOf() {
        throw new Error('no prototype');
      },
    });
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const cases: readonly (readonly [unknown, string])[] = [
      ['out of stock', 'out of stock'],
      [undefined, 'undefined'],
      [null, 'null'],
      [Symbol('shop'), 'Symbol(shop)'],
      [Object.create(null), 'an object without a message'],
      [{ message: 7 }, 'an object without a message'],
      [{ message: 'out of stock', name: 'ShopError' }, 'ShopError: out of stock'],
      [{ message: 'out of stock' }, 'Object: out of stock'],
      [broken, 'an object without a message'],
      [revoked, 'an object without a message'],
      [() => undefined, 'a function without a message'],
      [withoutStack(Object.assign(new Error('no'), { message: { a: 1 } })), 'Error'],
      [withoutStack(Object.assign(new TypeError('no'), { name: 7 })), 'TypeError: no'],
      [Object.assign(new Error('no'), { stack: 7 }), 'Error: no'],
    ];
    for (const [thrown, expected] of cases) expect(told(thrown)).to.equal(expected);
  });

  it('names the deepest cause and its code', () => {
    const refused = withoutStack(
      Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
    );
    const several = withoutStack(new AggregateError([refused, new Error('other')]));
    const wrapped = withoutStack(new TypeError('the order was not marked', { cause: several }));
    expect(failure(wrapped)).to.deep.equal({
      code: 'ECONNREFUSED',
      told: 'TypeError: the order was not marked; caused by Error: connect ECONNREFUSED 127.0.0.1:5432',
    });
    expect(failure({ message: 'no', cause: { message: 'full', code: 'E_FULL' } })).to.deep.equal({
      code: 'E_FULL',
      told: 'Object: no; caused by Object: full',
    });
    const outer = withoutStack(new Error('no', { cause: 'out of stock' }));
    expect(failure(Object.assign(outer, { code: 'E_SHOP' }))).to.deep.equal({
      code: 'E_SHOP',
      told: 'Error: no; caused by out of stock',
    });
  });

  it('ends with causes that lead back to themselves, or on and on', () => {
    const first = withoutStack(new Error('first'));
    const second = withoutStack(new Error('second', { cause: first }));
    first.cause = second;
    expect(told(first)).to.equal('Error: first; caused by Error: second');
    first.cause = first;
    expect(told(first)).to.equal('Error: first');
    const endless = {
      message: 'more',
      get cause(): object {
        return Object.create(endless, {});
      },
    };
    expect(told(endless)).to.equal('Object: more; caused by Object: more');
  });

  it('names the first line of its own code, also in a folder with a space', () => {
    const at = (...lines: readonly string[]): string => {
      const foreign = '    at query (/home/my shop/node_modules/pg/lib/client.js:1:2)';
      const error = new Error('no');
      error.stack = ['Error: no', foreign, ...lines, '    at later (/later.mjs:9:9)'].join('\n');
      return told(error);
    };
    for (const [line, place] of [
      ['    at markPaid (/home/my shop/app.mjs:3:4)', '/home/my shop/app.mjs:3:4'],
      ['    at /home/my shop/app.mjs:3:4', '/home/my shop/app.mjs:3:4'],
      ['    at async /home/my shop/app.mjs:3:4', '/home/my shop/app.mjs:3:4'],
      ['    at async Promise.all (index 0)', '/later.mjs:9:9'],
      [
        '    at Shop.mark [as hook] (file:///srv/my%20shop/a.mjs:3:4)',
        'file:///srv/my%20shop/a.mjs:3:4',
      ],
      ['    at new Shop (C:\\my shop (2)\\app.mjs:3:4)', 'C:\\my shop (2)\\app.mjs:3:4'],
    ] as const) {
      expect(at(line)).to.equal(`Error: no, at ${place}`);
    }
    const inner = new Error('inner');
    inner.stack = 'Error: inner\n    at markPaid (/shop.mjs:3:4)';
    expect(told(withoutStack(new Error('outer', { cause: inner })))).to.equal(
      'Error: outer; caused by Error: inner, at /shop.mjs:3:4',
    );
  });
});
