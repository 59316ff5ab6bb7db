import { mintKey } from '@paymount/core/access';
import { expect } from 'chai';
import { redactReceived } from '../../../../../packages/core/src/events/deliveries/redact-received.ts';

const CARD = ['4242', '4242', '4242', '4242'];

function shown(body: string | Buffer, how: Partial<Parameters<typeof redactReceived>[0]> = {}) {
  const received = { environment: 'live', responseTruncated: false, ...how } as const;
  const responseBody = Buffer.from(body as string);
  const { responseBody: found } = redactReceived({ ...received, responseBody });
  return Buffer.from(found ?? []);
}

describe('A response as it is stored', () => {
  it('has no card number in live, however it is written', () => {
    for (const number of [CARD.join(''), CARD.join(' '), CARD.join('-'), CARD.join('\u00a0')]) {
      expect(shown(`Card ${number} is unknown.`).toString()).to.equal('Card ... is unknown.');
    }
    const test = shown(`Card ${CARD.join('')}.`, { environment: 'test' });
    expect(test.toString()).to.equal(`Card ${CARD.join('')}.`);
    const { responseHeaders } = redactReceived({
      environment: 'live',
      responseTruncated: false,
      responseHeaders: { 'x-card': [CARD.join(''), 'none'], Cookie: 'a=1', etag: '"17"' },
    });
    const headers = { 'x-card': ['...', 'none'], Cookie: '[secret]', etag: '"17"' };
    expect(responseHeaders).to.deep.equal(headers);
  });

  it('has no card number that is percent-encoded, once or in an address in an address', () => {
    const digits = Array.from(CARD.join(''), (digit) => `%3${digit}`).join('');
    const spaced = encodeURIComponent(CARD.join(' '));
    for (const number of [
      digits,
      spaced,
      CARD.join('%C2%A0'),
      CARD.join('%2D'),
      encodeURIComponent(spaced),
      encodeURIComponent(encodeURIComponent(digits)),
    ]) {
      expect(shown(`?card=${number}&n=1`).toString(), number).to.equal('?card=...&n=1');
    }
    for (const kept of ['100%', '%zz 4242%20', '%E4%BD%A0%20%FF 12%2034', `%${'2'.repeat(9)}`]) {
      expect(shown(kept).toString()).to.equal(kept);
    }
  });

  it('has no value of a header whose name says that it is a secret', () => {
    const secret = [
      'X-Auth-Token',
      'Api-Key',
      'X-Api-Key',
      'x-csrf-token',
      'X-XSRF-TOKEN',
      'X-Amz-Security-Token',
      'Proxy-Authorization',
      'Set-Cookie',
      'X-Goog-Api-Key',
      'private-token',
      'Ocp-Apim-Subscription-Key',
      'X-Hub-Signature-256',
      'client_secret',
    ];
    const plain = ['idempotency-key', 'www-authenticate', 'etag', 'x-tokens-left', 'keep-alive'];
    const responseHeaders = Object.fromEntries([...secret, ...plain].map((name) => [name, 'abc']));
    const { responseHeaders: found } = redactReceived({
      environment: 'test',
      responseTruncated: false,
      responseHeaders,
    });
    expect(found).to.deep.equal({
      ...Object.fromEntries(secret.map((name) => [name, '[secret]'])),
      ...Object.fromEntries(plain.map((name) => [name, 'abc'])),
    });
  });

  it('has no password of an address, and the addresses without one stay', () => {
    for (const [written, kept] of [
      ['postgres://ada:pa/ss@db/x', 'postgres://ada:[secret]@db/x'],
      ['redis://:p@ss@h:6379 and b@c', 'redis://:[secret]@h:6379 and b@c'],
      ['a://b://c:d@e', 'a://b:[secret]@e'],
      ['x://a:1@b y://c:2@d', 'x://a:[secret]@b y://c:[secret]@d'],
      ['https://example.com:8080/a b@c', 'https://example.com:8080/a b@c'],
      ['://a:b@c', '://a:b@c'],
      [`x://a:${'p'.repeat(513)}@b`, `x://a:${'p'.repeat(513)}@b`],
      [`x://a:${'p'.repeat(512)}@b`, 'x://a:[secret]@b'],
    ] as const) {
      expect(shown(written).toString()).to.equal(kept);
    }
  });

  it('has no key, even among bytes that are not UTF-8, which stay as they are', () => {
    const key = mintKey('secret', 'live');
    const before = Buffer.from([0xff, 0x00, 0xe9]);
    const body = Buffer.concat([before, Buffer.from(` ${key} ${CARD.join('')} `), before]);
    const redacted = Buffer.concat([before, Buffer.from(' [secret] ... '), before]);
    expect(shown(body).equals(redacted)).to.equal(true);
    expect(shown(redacted).equals(redacted)).to.equal(true);
  });

  it('ends before a number that was cut, with the rest of a character where it was', () => {
    const cut = { responseTruncated: true };
    const part = CARD.join('').slice(0, 12);
    expect(shown(`Card ${part}`, cut).toString()).to.equal('Card ...');
    expect(shown(`Card ${part}`).toString()).to.equal(`Card ${part}`);
    expect(shown('Order 123456', cut).toString()).to.equal('Order 123456');
    const escaped = Array.from(CARD.join('').slice(0, 15), (digit) => `%3${digit}`).join('');
    for (const number of [
      '4242%204242%204242%20424',
      '4242%204242%204242%2042%2',
      escaped,
      `${escaped}%`,
      `${escaped}%3`,
      encodeURIComponent(escaped),
      `${encodeURIComponent(escaped)}%253`,
      '4242.4242.4242.424',
      '4242\u00a04242\u00a04242\u00a0',
      '4242,4242,4242,424',
      '\u0664\u0662\u0664\u0662\u0664\u0662\u0664\u0662',
    ]) {
      const found = shown(`?card=${number}`, cut).toString();
      expect(found, number).to.equal('?card=...');
      expect(shown(found, cut).toString(), number).to.equal(found);
    }
    for (const kept of ['n=123456', '1234567x', '[1,2,3,4,5,6,7,8', '%2', 'at 18:29:09']) {
      expect(shown(kept, cut).toString()).to.equal(kept);
    }
    const half = Buffer.concat([
      Buffer.from(`é ${mintKey('secret', 'test')} `),
      Buffer.from([0xe2, 0x82]),
    ]);
    const left = Buffer.concat([Buffer.from('é [secret] '), Buffer.from([0xe2, 0x82])]);
    expect(shown(half, cut).equals(left)).to.equal(true);
  });
});
