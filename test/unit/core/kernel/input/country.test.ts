import { isCountry } from '@paymount/core/kernel';
import { expect } from 'chai';

describe('isCountry', () => {
  it('knows the 249 codes that ISO 3166-1 has assigned', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const codes = letters.flatMap((first) => letters.map((second) => first + second));
    expect(codes.filter(isCountry)).to.have.length(249);
  });

  it('knows neither codes for users, nor unions, nor states that are gone, nor other spellings', () => {
    for (const code of [
      'AA',
      'XK',
      'XX',
      'ZZ',
      'EU',
      'UN',
      'UK',
      'SU',
      'AN',
      'YU',
      'de',
      'De',
      '',
      'DEU',
    ]) {
      expect(isCountry(code), code).to.equal(false);
    }
  });
});
