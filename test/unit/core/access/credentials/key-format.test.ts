import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  containsCredential,
  hashCredential,
  mintKey,
  parseCredential,
  redact,
} from '../../../../../packages/core/src/access/credentials/key-format.ts';
import { ALPHABET, checkCharacters } from '../../../../support/check-characters.ts';

describe('the format of keys', () => {
  it('is prefix, issuer tag, 32 random characters and 6 check characters', () => {
    for (const [type, environment, prefix] of [
      ['secret', 'live', 'sk_live_pm'],
      ['secret', 'test', 'sk_test_pm'],
      ['restricted', 'live', 'rk_live_pm'],
      ['restricted', 'test', 'rk_test_pm'],
      ['publishable', 'live', 'pk_live_pm'],
      ['publishable', 'test', 'pk_test_pm'],
    ] as const) {
      const key = mintKey(type, environment);
      expect(key).to.match(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`));
      expect(key.slice(-6)).to.equal(checkCharacters(key.slice(0, -6)));
    }
  });

  it('carries the tag of the installation, and refuses one of another shape', () => {
    expect(mintKey('secret', 'live', 'Shop2026')).to.match(/^sk_live_Shop2026[0-9A-Za-z]{38}$/);
    for (const tag of ['', 'a', 'ninechars', 'a-b', 'a_b', 'ü2']) {
      expect(() => mintKey('secret', 'live', tag), tag).to.throw(RangeError);
    }
  });

  it('draws every character equally often (chi-square, 61 degrees of freedom)', () => {
    const counts = new Map([...ALPHABET].map((character) => [character, 0]));
    const keys = 6000;
    for (let made = 0; made < keys; made += 1) {
      for (const character of mintKey('secret', 'test').slice(10, 42)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const expected = (keys * 32) / 62;
    let chiSquare = 0;
    for (const count of counts.values()) chiSquare += (count - expected) ** 2 / expected;
    // A fair draw exceeds 138 once in a million runs; a bare modulo 62 gives about 1,270.
    expect(counts.size).to.equal(62);
    expect(chiSquare).to.be.below(138);
  });

  it('reads what it minted, whatever the tag', () => {
    const tag = fc.stringMatching(/^[0-9A-Za-z]{2,8}$/);
    const type = fc.constantFrom('secret', 'restricted', 'publishable');
    const environment = fc.constantFrom('live', 'test');
    fc.assert(
      fc.property(type, environment, tag, (type, environment, tag) => {
        const key = mintKey(type, environment, tag);
        const parsed = parseCredential(key);
        if (parsed.kind !== 'key') return false;
        expect(parsed).to.include({ type, environment, redacted: redact(key) });
        const digest = createHash('sha256').update(key);
        expect(hashCredential(key).equals(digest.copy().digest())).to.equal(true);
        expect(hashCredential(key, 'binary')).to.equal(digest.digest('binary'));
        return true;
      }),
    );
  });

  it('shows prefix, tag and last four only', () => {
    const key = mintKey('secret', 'live', 'shop');
    expect(redact(key)).to.equal(`sk_live_shop...${key.slice(-4)}`);
  });

  it('refuses every change of one character, every swap and every loss', () => {
    const key = mintKey('secret', 'test');
    for (let place = 8; place < key.length; place += 1) {
      for (const character of ALPHABET) {
        if (character === key[place]) continue;
        const typo = key.slice(0, place) + character + key.slice(place + 1);
        expect(parseCredential(typo).kind, typo).to.equal('malformed');
      }
      const lost = key.slice(0, place) + key.slice(place + 1);
      expect(parseCredential(lost).kind, lost).to.equal('malformed');
      const swapped =
        key.slice(0, place) + key.charAt(place + 1) + key.charAt(place) + key.slice(place + 2);
      if (swapped !== key) expect(parseCredential(swapped).kind, swapped).to.equal('malformed');
    }
  });

  it('refuses a key whose prefix was changed to another known one', () => {
    const key = mintKey('secret', 'test');
    expect(parseCredential(key.replace('test', 'live')).kind).to.equal('malformed');
    expect(parseCredential(key.replace('sk', 'pk')).kind).to.equal('malformed');
  });

  it('says why a text is not a key', () => {
    const key = mintKey('secret', 'live');
    for (const [text, reason] of [
      ['', 'is empty; is the variable that holds it set?'],
      ['hunter2', 'begins with no known prefix, such as sk_live_ or sk_test_.'],
      ['SK_LIVE_abc', 'begins with no known prefix, such as sk_live_ or sk_test_.'],
      ['whsec_abc', 'is the signing secret of an endpoint, not a key.'],
      ['key_01jz0000000000000000000000', 'is the id of a key, not the key itself.'],
      [
        redact(key),
        'is the shortened form of a key; the whole key was shown once, when it was made.',
      ],
      [
        'sk_live_****',
        'is the shortened form of a key; the whole key was shown once, when it was made.',
      ],
      [
        key.slice(0, -1),
        'looks truncated: 39 characters follow its prefix, and a whole key has at least 40.',
      ],
      [
        'sk_live_',
        'looks truncated: 0 characters follow its prefix, and a whole key has at least 40.',
      ],
      [`${key}0123456`, 'is too long: 47 characters follow its prefix, and a key has at most 46.'],
      [`${key}\n`, 'holds a character that no key holds.'],
      [`${key.slice(0, 20)}-${key.slice(21)}`, 'holds a character that no key holds.'],
      [`${key}0`, 'does not match its check characters: a character was changed or lost.'],
      [`sk_live_${'a'.repeat(121)}`, 'is longer than 128 characters.'],
    ]) {
      expect(parseCredential(text ?? ''), text).to.deep.equal({ kind: 'malformed', reason });
    }
  });

  it('knows the credentials of OAuth by their shape', () => {
    for (const [type, prefix] of Object.entries({
      access_token: 'oat',
      refresh_token: 'ort',
      code: 'oac',
      client_secret: 'ocs',
    })) {
      const text = `${prefix}_pm${'x'.repeat(32)}`;
      const token = text + checkCharacters(text);
      expect(parseCredential(token)).to.deep.equal({
        kind: 'oauth',
        type,
        redacted: redact(token),
      });
      expect(parseCredential(`${text}000000`).kind).to.equal('malformed');
    }
  });

  it('never throws, and never echoes what it refuses', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 12, maxLength: 200 }), (text) => {
        const parsed = parseCredential(text);
        return parsed.kind === 'malformed' && !parsed.reason.includes(text);
      }),
    );
  });
});

describe('containsCredential', () => {
  const key = mintKey('secret', 'live');

  it('finds a key in path and query, percent-encoded too', () => {
    for (const address of [
      `/v1/charges?key=${key}`,
      `/v1/charges/${key}`,
      `/v1/charges?a=1&b=${key}&c=2`,
      `/v1/charges?a%5Bb%5D%3D${key}`,
      `/v1/charges?key=sk%5Flive%5F${key.slice(8)}`,
      `/v1/charges?broken=%zz&key=%73${key.slice(1)}`,
      `/v1/charges?key=oat_${'a'.repeat(40)}`,
      `/v1/charges?key_${key}=1`,
      `/v1/charges/pm_${key}`,
      `/v1/charges/a${key}`,
      `/v1/charges?note=${key}_old`,
      `/v1/charges?note=${key}abcdefgh`,
      `/v1/charges?x_%73${key.slice(1)}=1`,
    ]) {
      expect(containsCredential(address), address).to.equal(true);
    }
  });

  it('lets ids and shortened keys pass', () => {
    for (const address of [
      '/v1/charges/ch_01jz00000000000000000000aa?expand%5B%5D=customer',
      `/v1/charges?key=${redact(key)}`,
      '/v1/payment_methods/pm_01jz00000000000000000000aa',
      `/v1/charges?note=${'sk_live_'}`,
      '/v1/charges?starting_after=report_01jz00000000000000000000aa',
    ]) {
      expect(containsCredential(address), address).to.equal(false);
    }
  });
});
