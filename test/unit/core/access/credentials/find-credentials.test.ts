import { createHash, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  findCredentials,
  LONGEST_CREDENTIAL,
  redactCredentials,
} from '../../../../../packages/core/src/access/credentials/find-credentials.ts';
import { mintKey } from '../../../../../packages/core/src/access/credentials/key-format.ts';
import { ALPHABET, checkCharacters } from '../../../../support/check-characters.ts';

const signingSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** An OAuth credential, as its format will be: there is nothing yet that mints one. */
function mintOauth(prefix: string): string {
  const body = Array.from(randomBytes(32), (byte) => ALPHABET.charAt(byte % 62)).join('');
  const text = `${prefix}_pm${body}`;
  return text + checkCharacters(text);
}

const found = (text: string): string[] =>
  [...findCredentials(text)].map(({ credential }) => credential.reveal());

describe('credentials in a text', () => {
  it('are found anywhere, in order, with their kinds', () => {
    const secret = mintKey('secret', 'live');
    const restricted = mintKey('restricted', 'test', 'Shop2026');
    const publishable = mintKey('publishable', 'live');
    const oauth = ['oat', 'ort', 'oac', 'ocs'].map(mintOauth);
    const signing = signingSecret();
    const all = [secret, restricted, publishable, ...oauth, signing];
    const text = `KEY=${all.join('"\n- "')}`;
    const results = [...findCredentials(text)];
    expect(results.map(({ credential }) => credential.reveal())).to.deep.equal(all);
    expect(results.map(({ index }) => index)).to.deep.equal(all.map((each) => text.indexOf(each)));
    expect(results.map(({ what }) => (what.kind === 'key' ? what.type : what.kind))).to.deep.equal([
      'secret',
      'restricted',
      'publishable',
      'oauth',
      'oauth',
      'oauth',
      'oauth',
      'signing_secret',
    ]);
    expect(results[1]?.what.redacted).to.equal(`rk_test_Shop2026...${restricted.slice(-4)}`);
    expect(results.at(-1)?.what.redacted).to.equal(`whsec_...${signing.slice(-4)}`);
  });

  it('are found between letters that do not belong to them', () => {
    const key = mintKey('secret', 'live');
    for (const text of [`STRIPE_${key}_old`, `a=1\\n${key}\\nb`, `x${key}`, `${key}${key}`]) {
      expect(new Set(found(text)), text.replaceAll(key, '<key>')).to.deep.equal(new Set([key]));
    }
    for (const after of ['0', 'abc', 'abcdef', 'Z'.repeat(40)]) {
      expect(found(key + after), `followed by ${after}`).to.deep.equal([key]);
    }
  });

  it('are not found when a check character is wrong, or a letter is missing', () => {
    const key = mintKey('secret', 'live');
    const other = key.endsWith('0') ? '1' : '0';
    expect(found(key.slice(0, -1) + other)).to.deep.equal([]);
    expect(found(key.slice(0, -1))).to.deep.equal([]);
    expect(found(`sk_live_${'a'.repeat(42)}`)).to.deep.equal([]);
    expect(found(signingSecret().slice(0, -1))).to.deep.equal([]);
    expect(found(key.toUpperCase())).to.deep.equal([]);
  });

  it('are found again after what looks like one', () => {
    const key = mintKey('secret', 'live');
    expect(found(`oat_${'a'.repeat(37)}${key}`)).to.deep.equal([key]);
    expect(found(`pk_live_${key}`)).to.deep.equal([key]);
  });

  it('are distinguished by the hash that the database stores', () => {
    const key = mintKey('secret', 'live');
    const [result] = findCredentials(`key: ${key}`);
    expect(result?.what.hash()).to.deep.equal(createHash('sha256').update(key).digest());
  });

  it('are never shown by what is found', () => {
    const key = mintKey('secret', 'live');
    const results = [...findCredentials(`key: ${key}`)];
    expect(inspect(results, { depth: 9 })).not.to.include(key);
    expect(JSON.stringify(results)).not.to.include(key);
  });

  it('are found in any text around them', () => {
    const key = mintKey('restricted', 'live', 'a2345678');
    expect(key).to.have.length(LONGEST_CREDENTIAL);
    const around = fc.string({ unit: 'grapheme', maxLength: 80 });
    fc.assert(
      fc.property(around, around, (before, after) => found(before + key + after).includes(key)),
    );
  });

  it('are shortened in what may be shown, percent-encoded or not, and all else stays', () => {
    const [key, signing] = [mintKey('secret', 'live'), signingSecret()];
    const shortKey = `sk_live_pm...${key.slice(-4)}`;
    const shortSigning = `whsec_...${signing.slice(-4)}`;
    const search = (q: string): string => `https://code.example/search?q=${q}&page=2#${q}`;
    for (const [text, shown] of [
      ['https://code.example/a%20b?x=%zz', 'https://code.example/a%20b?x=%zz'],
      [search(key), search(shortKey)],
      [search(key.replaceAll('_', '%5F')), search(shortKey)],
      [search(encodeURIComponent(signing)), search(shortSigning)],
      [search(key.replaceAll('_', '%255F')), search(shortKey)],
      [
        search(encodeURIComponent(encodeURIComponent(encodeURIComponent(signing)))),
        search(shortSigning),
      ],
      [
        search(`${key.replaceAll('_', '%5F')}+${key.replaceAll('_', '%255F')}`),
        search(`${shortKey}+${shortKey}`),
      ],
      [`${key}${signing}`, shortKey + shortSigning],
      ['', ''],
    ] as const) {
      expect(redactCredentials(text)).to.equal(shown);
    }
  });
});
