/** A charge that is good but for what a case changes. */
export const CHARGE = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };

/** JSON text in which `member` is written out, as JSON.stringify could not. */
export function withMember(member: string): string {
  return `{"currency":"eur","payment_method":"pm_card_visa",${member}}`;
}

function deep(levels: number): unknown {
  return levels === 0 ? 'x' : { a: deep(levels - 1) };
}

const many = (count: number, member: (index: number) => [string, unknown]): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => member(index)));

/** [what, JSON body, status, code, param]. */
export const JSON_CASES: readonly [string, unknown, number, string, string | undefined][] = [
  ['no amount', { currency: 'eur' }, 400, 'parameter_missing', 'amount'],
  ['amount as text', { ...CHARGE, amount: '10' }, 400, 'parameter_invalid_integer', 'amount'],
  ['a fraction', { ...CHARGE, amount: 10.5 }, 400, 'parameter_invalid_integer', 'amount'],
  ['true', { ...CHARGE, amount: true }, 400, 'parameter_invalid_integer', 'amount'],
  ['an array', { ...CHARGE, amount: [10] }, 400, 'parameter_invalid_integer', 'amount'],
  ['null', { ...CHARGE, amount: null }, 400, 'parameter_invalid_integer', 'amount'],
  ['zero', { ...CHARGE, amount: 0 }, 400, 'amount_too_small', 'amount'],
  ['minus zero', withMember('"amount":-0'), 400, 'amount_too_small', 'amount'],
  ['minus one', { ...CHARGE, amount: -1 }, 400, 'amount_too_small', 'amount'],
  ['100 million', { ...CHARGE, amount: 100_000_000 }, 400, 'amount_too_large', 'amount'],
  ['2^53 + 1', withMember('"amount":9007199254740993'), 400, 'amount_too_large', 'amount'],
  ['1e400', withMember('"amount":1e400'), 400, 'amount_too_large', 'amount'],
  ['-1e400', withMember('"amount":-1e400'), 400, 'amount_too_small', 'amount'],
  ['1e-400', withMember('"amount":1e-400'), 400, 'parameter_invalid_integer', 'amount'],
  [
    'a fraction that doubles round away',
    withMember('"amount":10.00000000000000000000001'),
    400,
    'parameter_invalid_integer',
    'amount',
  ],
  [
    'a name that stands twice',
    withMember('"amount":1,"amount":1'),
    400,
    'parameter_duplicate',
    'amount',
  ],
  [
    'a name that stands twice, once escaped',
    withMember('"amount":1,"\\u0061mount":2'),
    400,
    'parameter_duplicate',
    'amount',
  ],
  [
    'a name that stands twice further down',
    withMember('"amount":1,"description":"{\\"a\\":1}","metadata":{"b":"[","k":"1","k":"2"}'),
    400,
    'parameter_duplicate',
    'metadata[k]',
  ],
  [
    'a name that stands twice in an item of a list',
    withMember('"amount":1,"expand":["a,b:{c}",{"a":[{}],"b":{"a":1},"b":2}]'),
    400,
    'parameter_duplicate',
    'expand[1][b]',
  ],
  [
    '__proto__ twice',
    withMember('"amount":1,"__proto__":1,"__proto__":2'),
    400,
    'parameter_duplicate',
    '__proto__',
  ],
  ['a misspelled name', { ...CHARGE, ammount: 1 }, 400, 'parameter_unknown', 'ammount'],
  ['status as input', { ...CHARGE, status: 'succeeded' }, 400, 'parameter_unknown', 'status'],
  ['livemode as input', { ...CHARGE, livemode: true }, 400, 'parameter_unknown', 'livemode'],
  ['another account', { ...CHARGE, account: 'acct_1' }, 400, 'parameter_unknown', 'account'],
  [
    'an unknown member',
    { ...CHARGE, shipping: { name: 'A', address: {}, x: 1 } },
    400,
    'parameter_unknown',
    'shipping[x]',
  ],
  [
    '__proto__',
    withMember('"amount":1,"__proto__":{"a":1}'),
    400,
    'parameter_unknown',
    '__proto__',
  ],
  [
    'constructor in metadata',
    { ...CHARGE, metadata: { constructor: 'x' } },
    400,
    'parameter_unknown',
    'metadata[constructor]',
  ],
  [
    'prototype in metadata',
    { ...CHARGE, metadata: { prototype: 'x' } },
    400,
    'parameter_unknown',
    'metadata[prototype]',
  ],
  ['a currency that is none', { ...CHARGE, currency: 'zzz' }, 400, 'invalid_currency', 'currency'],
  ['a confusable currency', { ...CHARGE, currency: 'еur' }, 400, 'invalid_currency', 'currency'],
  ['NUL', { ...CHARGE, description: 'a\u0000b' }, 400, 'parameter_invalid', 'description'],
  [
    'a lone surrogate',
    withMember('"amount":1,"description":"\\ud800"'),
    400,
    'parameter_invalid',
    'description',
  ],
  [
    'a lone surrogate in a name',
    withMember('"amount":1,"metadata":{"\\udc00":"x"}'),
    400,
    'parameter_invalid',
    'metadata[\ufffd]',
  ],
  ['9 levels', { ...CHARGE, metadata: deep(8) }, 400, 'parameter_invalid', nested(9)],
  [
    '101 items',
    { ...CHARGE, expand: Array.from({ length: 101 }, () => 'x') },
    400,
    'parameter_invalid',
    'expand',
  ],
  [
    '1,001 parameters',
    { metadata: many(1001, (index) => [`k${index}`, 'v']) },
    400,
    'parameter_invalid',
    undefined,
  ],
  ['text for an object', { ...CHARGE, shipping: 'x' }, 400, 'parameter_invalid', 'shipping'],
  [
    'a number in metadata',
    { ...CHARGE, metadata: { k: 1 } },
    400,
    'parameter_invalid',
    'metadata[k]',
  ],
  ['a text for a boolean', { ...CHARGE, capture: 'true' }, 400, 'parameter_invalid', 'capture'],
  ['an array', [], 400, 'invalid_json', undefined],
  ['null', null, 400, 'invalid_json', undefined],
  ['a text', '"x"', 400, 'invalid_json', undefined],
  ['half an object', '{"amount":1', 400, 'invalid_json', undefined],
  ['a trailing comma', '{"amount":1,}', 400, 'invalid_json', undefined],
  ['NaN', withMember('"amount":NaN'), 400, 'invalid_json', undefined],
  ['100,000 brackets', '['.repeat(100_000), 400, 'invalid_json', undefined],
  ['an unknown expansion', { ...CHARGE, expand: ['costumer'] }, 400, 'expand_invalid', 'expand'],
  ['a deep expansion', { ...CHARGE, expand: ['a.b.c.d.e'] }, 400, 'expand_invalid', 'expand'],
  ['expand as a number', { ...CHARGE, expand: 5 }, 400, 'expand_invalid', 'expand'],
];

function nested(levels: number): string {
  return `metadata${'[a]'.repeat(levels - 1)}`;
}

/** [what, form body, status, code, param] */
export const FORM_CASES: readonly [string, string, number, string, string | undefined][] = [
  ['amount twice', 'amount=1&amount=2&currency=eur', 400, 'parameter_duplicate', 'amount'],
  ['amount empty', 'amount=&currency=eur', 400, 'parameter_invalid_empty', 'amount'],
  ['amount with a plus', 'amount=%2B1&currency=eur', 400, 'parameter_invalid_integer', 'amount'],
  ['two minuses', 'amount=--1&currency=eur', 400, 'parameter_invalid_integer', 'amount'],
  ['minus zero', 'amount=-0&currency=eur', 400, 'parameter_invalid_integer', 'amount'],
  ['minus one', 'amount=-1&currency=eur', 400, 'amount_too_small', 'amount'],
  [
    '400 digits below',
    `amount=-1${'0'.repeat(400)}&currency=eur`,
    400,
    'amount_too_small',
    'amount',
  ],
  ['a leading zero', 'amount=01&currency=eur', 400, 'parameter_invalid_integer', 'amount'],
  ['an exponent', 'amount=1e2&currency=eur', 400, 'parameter_invalid_integer', 'amount'],
  ['hexadecimal', 'amount=0x10&currency=eur', 400, 'parameter_invalid_integer', 'amount'],
  ['white space', 'amount=+10&currency=eur', 400, 'parameter_invalid_integer', 'amount'],
  ['other digits', 'amount=%D9%A1&currency=eur', 400, 'parameter_invalid_integer', 'amount'],
  ['2^53 + 1', 'amount=9007199254740993&currency=eur', 400, 'amount_too_large', 'amount'],
  ['400 digits', `amount=1${'0'.repeat(400)}&currency=eur`, 400, 'amount_too_large', 'amount'],
  ['amount as array', 'amount[]=1&currency=eur', 400, 'parameter_invalid_integer', 'amount'],
  ['yes for a boolean', 'amount=1&currency=eur&capture=yes', 400, 'parameter_invalid', 'capture'],
  [
    'metadata twice',
    'amount=1&currency=eur&metadata[a]=1&metadata[a]=2',
    400,
    'parameter_duplicate',
    'metadata[a]',
  ],
  [
    'with and without members',
    'amount=1&currency=eur&metadata=&metadata[a]=1',
    400,
    'parameter_invalid',
    'metadata[a]',
  ],
  [
    '__proto__',
    'amount=1&currency=eur&metadata[__proto__]=1',
    400,
    'parameter_unknown',
    'metadata[__proto__]',
  ],
  [
    '__proto__ at the root',
    'amount=1&currency=eur&__proto__[a]=1',
    400,
    'parameter_unknown',
    '__proto__',
  ],
  ['a stray bracket', 'amount=1&currency=eur&metadata[a=1', 400, 'parameter_unknown', 'metadata[a'],
  ['NUL', 'amount=1&currency=eur&description=%00', 400, 'parameter_invalid', 'description'],
  ['bad UTF-8', 'amount=1&currency=eur&description=%ff', 400, 'parameter_invalid', 'description'],
  [
    'a lone surrogate',
    'amount=1&currency=eur&description=%ed%a0%80',
    400,
    'parameter_invalid',
    'description',
  ],
  [
    'half an escape',
    'amount=1&currency=eur&description=%4',
    400,
    'parameter_invalid',
    'description',
  ],
  ['1,001 parameters', 'a=1&'.repeat(1001), 400, 'parameter_invalid', undefined],
];
