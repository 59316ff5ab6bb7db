import { createHash, randomUUID } from 'node:crypto';
import { newId } from '@paymount/core';
import { expect } from 'chai';
import {
  holdsCardNumber,
  withoutCardNumbers,
} from '../../../../packages/core/src/shared/card-number-text.ts';

/** Numbers that schemes and processors publish for tests, and some that only have the form. */
const NUMBERS: Readonly<Record<string, string>> = {
  'Visa of 16': '4242424242424242',
  'Visa of 13': '4222222222222',
  'Visa of 19': '4000000000000000006',
  Mastercard: '5555555555554444',
  'Mastercard, 2-series': '2223003122003222',
  'American Express': '378282246310005',
  Discover: '6011111111111117',
  'Diners Club of 14': '30569309025904',
  'Diners Club of 16': '3056930009020004',
  JCB: '3566002020360505',
  UnionPay: '6205500000000000004',
  Maestro: '6759649826438453',
  'Maestro of 13': '5018000000007',
  Mir: '2200000000000004',
  Troy: '9792000000000003',
};

const grouped = (number: string, separator: string): string =>
  (number.match(/.{1,4}/g) ?? []).join(separator);

describe('a card number in a text', () => {
  for (const [scheme, number] of Object.entries(NUMBERS)) {
    it(`is found whatever stands beside it: ${scheme}`, () => {
      for (const text of [
        number,
        `${number} 12/30`,
        `12/30 ${number}`,
        `${number}1230`,
        `x${number}y1`,
        `0004${number}`,
        `7${number}`,
        `${number}7`,
        `card ${grouped(number, ' ')}, cvc 123`,
        `\n${grouped(number, '-')}\n`,
        `order 17: ${number}`,
        `{"pan":"${number}"}`,
      ]) {
        expect(holdsCardNumber(text), text).to.equal(true);
      }
    });
  }

  it('is found whatever separates its digits', () => {
    const [number = ''] = Object.values(NUMBERS);
    for (const separator of [
      ...[' ', '  ', '-', ' - ', '.', '/', '_', '\n', '\t', '\u00a0', '\u202f', '\u2009'],
      ...['\u2011', '\u2013', '\u2212', '\u00b7', '\u200b', '\u2060', '\ufeff', '\u00ad'],
      ...[',', ':', ';', '|', '+', "'"],
    ]) {
      expect(holdsCardNumber(grouped(number, separator)), JSON.stringify(separator)) //
        .to.equal(true);
    }
    expect(holdsCardNumber([...number].join(' '))).to.equal(true);
    expect(holdsCardNumber([...number].join('\ufe0f\u20e3'))).to.equal(true);
  });

  it('is found in the digits of any script', () => {
    const [number = ''] = Object.values(NUMBERS);
    for (const zero of ['０', '٠', '۰', '०', '๐', '𝟎', '𝟘', '𝟶']) {
      const first = zero.codePointAt(0) ?? 0;
      const text = [...number].map((digit) => String.fromCodePoint(first + Number(digit))).join('');
      expect(holdsCardNumber(text), text).to.equal(true);
    }
  });

  it('is none without the prefix, the length and the check digit of one scheme', () => {
    for (const text of [
      '',
      '4242424242424241',
      '1111111111111117',
      '424242424242',
      '5555 5555 5555 444',
      '1700000000000',
      '4242x4242x4242x4242',
      '4242, about 4242 or 4242 and 4242',
    ]) {
      expect(holdsCardNumber(text), text).to.equal(false);
    }
  });

  it('is none in what merchants keep beside an order', () => {
    const digest = (name: string, index: number): string =>
      createHash(name).update(`${index}`).digest('hex');
    for (let index = 0; index < 2_000; index += 1) {
      const moment = new Date(1_700_000_000_000 + index * 87_654_321);
      for (const text of [
        randomUUID(),
        `stripe-node-retry-${randomUUID()}`,
        newId('ch'),
        `refund of ${newId('ch')}`,
        digest('sha256', index),
        digest('sha1', index),
        digest('md5', index),
        moment.toISOString(),
        moment.toISOString().replace('T', ' '),
        `${moment.getTime()}`,
        `+49 30 ${String(index * 7_919 + 10_000_000).padStart(9, '0')}`,
        `52.${String(index * 7_919 + 100_000).slice(0, 6)}, 13.404954`,
      ]) {
        expect(holdsCardNumber(text), text).to.equal(false);
      }
    }
  });

  it('is none in the number of a bank account', () => {
    // From the IBAN registry (SWIFT).
    for (const iban of [
      'DE89370400440532013000',
      'DE89 3704 0044 0532 0130 00',
      'GB29 NWBK 6016 1331 9268 19',
      'FR14 2004 1010 0505 0001 3M02 606',
      'ES9121000418450200051332',
      'NL91 ABNA 0417 1643 00',
    ]) {
      expect(holdsCardNumber(`Refund to ${iban}.`), iban).to.equal(false);
    }
    expect(holdsCardNumber('DE88 4242 4242 4242 4242 00')).to.equal(true);
  });

  it('is left out of what is shown, and the rest stays', () => {
    expect(withoutCardNumbers('no card 4242')).to.equal('no card 4242');
    expect(withoutCardNumbers('a 4242-4242 4242.4242, b 378282246310005 c')).to.equal(
      'a ..., b ... c',
    );
    const uuid = randomUUID();
    expect(withoutCardNumbers(`${uuid} x４２４２４２４２４２４２４２４２`)).to.equal(
      `${uuid} x...`,
    );
  });
});
