import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mintKey } from '@paymount/core/access';
import {
  hasCredentialPrefix,
  hasCredentialShape,
  newId,
  redactCredentialText,
  SCOPES,
} from '@paymount/core/kernel';
import { expect } from 'chai';

const keys = (['secret', 'restricted', 'publishable'] as const).flatMap((type) => [
  mintKey(type, 'live'),
  mintKey(type, 'test', 'Shop2026'),
]);
const oauth = ['oat', 'ort', 'oac', 'ocs'].map(
  (prefix) => `${prefix}_${randomBytes(20).toString('hex')}`,
);
const credentials = [...keys, ...oauth];
const signing = `whsec_${randomBytes(32).toString('base64')}`;

/** Whatever stands before and after, a letter and an underscore foremost. */
const AROUND = [
  ['', ''],
  ['my_', ''],
  ['a', ''],
  ['9', '_'],
  ['created[a_', ']'],
  ['metadata[x', '_old]'],
  ['?key_', '=1'],
  ['/v1/charges/pm_', '/capture'],
] as const;

describe('a credential in a text', () => {
  it('is recognized by shape and prefix whatever surrounds it', () => {
    for (const credential of credentials) {
      for (const [before, after] of AROUND) {
        const where = `${before}<${credential.slice(0, 4)}>${after}`;
        expect(hasCredentialShape(before + credential + after), where).to.equal(true);
        expect(hasCredentialPrefix(before + credential + after), where).to.equal(true);
      }
      expect(hasCredentialShape(`${credential}${'z'.repeat(20)}`)).to.equal(true);
    }
    expect(hasCredentialPrefix(`pm_${signing}`)).to.equal(true);
  });

  it('is removed whatever surrounds it, percent-encoded or not, and the rest stays', () => {
    for (const credential of [...credentials, signing]) {
      for (const written of [
        credential,
        encodeURIComponent(credential),
        encodeURIComponent(credential).replaceAll('_', '%5F'),
        encodeURIComponent(credential).replaceAll('_', '%5f'),
      ]) {
        for (const [before, after] of [...AROUND.slice(0, 3), ['x (', '; 1)'] as const]) {
          const where = `${before}<${credential.slice(0, 4)}>${after}`;
          expect(redactCredentialText(before + written + after), where).to.equal(
            `${before}...${after}`,
          );
        }
      }
      expect(redactCredentialText(`a ${credential.slice(0, -6)}, ${credential}`, '[x]')).to.equal(
        'a [x], [x]',
      );
    }
  });

  it('is found by whatever pattern is published for scanners', () => {
    const rules = new URL(
      '../../../../../packages/paymount/scanners/gitleaks.toml',
      import.meta.url,
    );
    const [, published = '(?!)'] = /regex = '''(\\b.+)'''/.exec(readFileSync(rules, 'utf8')) ?? [];
    for (const credential of [...keys.filter((key) => !key.startsWith('pk')), ...oauth]) {
      expect(new RegExp(published).test(credential)).to.equal(true);
      expect(new RegExp(published).test(`my_${credential}`)).to.equal(false);
      expect(hasCredentialShape(`my_${credential}`)).to.equal(true);
    }
  });

  it('is seen in no id, scope, shortened key or ordinary name', () => {
    const ids = (
      ['acct', 'aud', 'ch', 'dlv', 'evt', 'key', 'leak', 'pm', 're', 'req'] as const
    ).map((prefix) => newId(prefix));
    for (const text of [...ids, ...SCOPES, 'pm_card_visa', 'whs_01jz0000000000000000000000']) {
      expect(hasCredentialPrefix(text), text).to.equal(false);
    }
    const [key = ''] = keys;
    for (const text of [
      ...ids,
      ...ids.map((id) => `/v1/charges/${id}?starting_after=${id}&expand[]=data.customer`),
      `import_${'0'.repeat(26)}`,
      `${key.slice(0, 10)}...${key.slice(-4)}`,
      'support_phone_number_of_the_shop',
      'passport_number',
      'report_configuration',
      'risk_test',
      'disk_live_1',
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    ]) {
      expect(hasCredentialShape(text), text).to.equal(false);
      if (!text.startsWith('import_')) expect(redactCredentialText(text)).to.equal(text);
    }
  });
});
