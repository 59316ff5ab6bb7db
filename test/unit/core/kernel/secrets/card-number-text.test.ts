import { createHash, randomUUID } from 'node:crypto';
import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import {
  containsCardNumber,
  redactCardNumbers,
} from '../../../../../packages/core/src/kernel/secrets/card-number-text.ts';

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

/** What shops keep of a day or a moment, with other digits beside it. */
function besideTimes(moment: Date, index: number): readonly string[] {
  const day = moment.toISOString().slice(0, 10);
  const later = new Date(moment.getTime() + 1_234_567_890).toISOString().slice(0, 10);
  const [dotted, ends] = [day, later].map((each) => each.split('-').reverse().join('.'));
  const seconds = Math.floor(moment.getTime() / 1_000);
  const random = String((index * 7_654_321) % 10_000_000_000).padStart(10, '0');
  return [
    `${day} - ${later}`,
    `Stay ${dotted} - ${ends}, room 4${index}`,
    `https://shop.example/${day.replaceAll('-', '/')}/${random}.pdf`,
    `order_${moment.getTime()}_${random}`,
    `fb.1.${moment.getTime()}.${random}`,
    `GA1.1.${random}.${seconds}`,
    `${seconds}-${seconds + 3_600}`,
  ];
}

describe('a card number in a text', () => {
  for (const [scheme, number] of Object.entries(NUMBERS)) {
    it(`is found whatever surrounds it: ${scheme}`, () => {
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
        expect(containsCardNumber(text), text).to.equal(true);
      }
    });
  }

  it('is found whatever separates its digits', () => {
    const [number = ''] = Object.values(NUMBERS);
    for (const separator of [
      ' ',
      '  ',
      '-',
      ' - ',
      '.',
      '/',
      '_',
      '\n',
      '\t',
      '\u00a0',
      '\u202f',
      '\u2009',
      '\u2011',
      '\u2013',
      '\u2212',
      '\u00b7',
      '\u200b',
      '\u2060',
      '\ufeff',
      '\u00ad',
      ',',
      ':',
      ';',
      '|',
      '+',
      "'",
      '"',
      '~',
      '=',
      '#',
      '×',
      '\\',
      ') (',
      '][',
      ' , ',
      ' | ',
      '", "',
    ]) {
      expect(containsCardNumber(grouped(number, separator)), JSON.stringify(separator)) //
        .to.equal(true);
    }
    expect(containsCardNumber([...number].join(' '))).to.equal(true);
    expect(containsCardNumber([...number].join('\ufe0f\u20e3'))).to.equal(true);
  });

  it('is found in the digits of any script', () => {
    const [number = ''] = Object.values(NUMBERS);
    for (const dressed of ['⁰¹²³⁴⁵⁶⁷⁸⁹', '₀₁₂₃₄₅₆₇₈₉', '⓪①②③④⑤⑥⑦⑧⑨']) {
      const text = [...number].map((digit) => [...dressed][Number(digit)]).join('');
      expect(containsCardNumber(text), text).to.equal(true);
    }
    for (const zero of ['０', '٠', '۰', '०', '๐', '𝟎', '𝟘', '𝟶']) {
      const first = zero.codePointAt(0) ?? 0;
      const text = [...number].map((digit) => String.fromCodePoint(first + Number(digit))).join('');
      expect(containsCardNumber(text), text).to.equal(true);
    }
  });

  it('needs the prefix, the length and the check digit of one scheme', () => {
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
      expect(containsCardNumber(text), text).to.equal(false);
    }
  });

  it('is not found in other data of an order', () => {
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
        `order_${randomUUID()}`,
        `v1_${digest('sha256', index)}`,
        `0x${digest('sha1', index)}`,
        digest('sha512', index),
        digest('sha384', index),
        ...besideTimes(moment, index),
        `+49 30 ${String(index * 7_919 + 10_000_000).padStart(9, '0')}`,
        `52.${String(index * 7_919 + 100_000).slice(0, 6)}, 13.404954`,
      ]) {
        expect(containsCardNumber(text), text).to.equal(false);
      }
    }
  });

  it('is not found in an article number or an Amazon order number', () => {
    for (const text of ['4006381333931', '4006381333931, 4011200296908', '302-4242424-2424242']) {
      expect(containsCardNumber(text), text).to.equal(false);
    }
    // With another check digit it is none of an article.
    expect(containsCardNumber('4222222222222')).to.equal(true);
  });

  it('is found beside a day and a time', () => {
    const [number = ''] = Object.values(NUMBERS);
    for (const text of [
      `${number} 2026-12-31`,
      `31.12.2026 ${number}`,
      `${number}1765908666052`,
      `1765908666052 ${number}`,
      `1765908666-${number}`,
      `${number}.1765908666`,
    ]) {
      expect(containsCardNumber(text), text).to.equal(true);
    }
  });

  it('is not found in a bank account number', () => {
    // From the IBAN registry (SWIFT).
    for (const iban of [
      'DE89370400440532013000',
      'DE89 3704 0044 0532 0130 00',
      'GB29 NWBK 6016 1331 9268 19',
      'FR14 2004 1010 0505 0001 3M02 606',
      'ES9121000418450200051332',
      'NL91 ABNA 0417 1643 00',
    ]) {
      expect(containsCardNumber(`Refund to ${iban}.`), iban).to.equal(false);
    }
    expect(containsCardNumber('DE88 4242 4242 4242 4242 00')).to.equal(true);
  });

  it('is left out of what is shown, and the rest stays', () => {
    expect(redactCardNumbers('no card 4242')).to.equal('no card 4242');
    expect(redactCardNumbers('a 4242-4242 4242.4242, b 378282246310005 c')).to.equal(
      'a ..., b ... c',
    );
    const uuid = randomUUID();
    expect(redactCardNumbers(`${uuid} x４２４２４２４２４２４２４２４２`)).to.equal(`${uuid} x...`);
  });
});
