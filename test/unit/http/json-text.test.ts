import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseJson } from '../../../packages/http/src/body/json-text.ts';

describe('a JSON body', () => {
  it('is read as JSON.parse reads it, if no name occurs twice in an object', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 2), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(parseJson(text)).to.deep.equal(JSON.parse(text));
      }),
    );
  });

  it('is refused when a name occurs twice in an object, with the path', () => {
    for (const [text, param] of [
      ['{"a":1,"a":1}', 'a'],
      ['{"a":{"b":[0,{"c":1,"d":2,"c":3}]}}', 'a[b][1][c]'],
      ['{"\\"":1,"\\u0022":2}', '"'],
      ['{"":1,"":2}', ''],
      ['{"a":"x:y","b":"{\\"b\\":1}","b":1}', 'b'],
      [`{"a":${'['.repeat(30)}${']'.repeat(30)},"a":1}`, 'a'],
    ] as const) {
      try {
        parseJson(text);
        expect.fail(`${text.slice(0, 40)} was taken`);
      } catch (error) {
        expect(PaymountError.is(error) && [error.code, error.param], text.slice(0, 40)) //
          .to.deep.equal(['parameter_duplicate', param]);
      }
    }
  });

  it('is refused before it is parsed when it has thousands of members or levels', () => {
    const members = Array.from({ length: 5_000 }, (_, at) => `"m${at}":{}`).join();
    for (const [text, message] of [
      [`{${members}}`, 'The request has more than 1000 parameters.'],
      [`{"a":[${'{},'.repeat(5_000)}{}]}`, 'The request has more than 1000 parameters.'],
      [
        `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
        'a[0][0][0][0][0][0][0][0] is nested deeper than 8 levels.',
      ],
    ] as const) {
      expect(() => parseJson(text)).to.throw(PaymountError, message);
    }
    const inTexts = `{"a":"${'{['.repeat(50_000)}","b":"\\"${'[:'.repeat(5_000)}"}`;
    expect(parseJson(inTexts)).to.deep.equal(JSON.parse(inTexts));
  });

  it('may name members of different objects alike', () => {
    const text = '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}],"c":"\\"a\\":1"}';
    expect(parseJson(text)).to.deep.equal(JSON.parse(text));
  });
});
