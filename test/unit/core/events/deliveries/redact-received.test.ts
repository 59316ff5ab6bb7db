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
    expect(shown(`Card ${part}`, cut).toString()).to.equal('Card...');
    expect(shown(`Card ${part}`).toString()).to.equal(`Card ${part}`);
    expect(shown('Order 123456', cut).toString()).to.equal('Order 123456');
    const half = Buffer.concat([
      Buffer.from(`é ${mintKey('secret', 'test')} `),
      Buffer.from([0xe2, 0x82]),
    ]);
    const left = Buffer.concat([Buffer.from('é [secret] '), Buffer.from([0xe2, 0x82])]);
    expect(shown(half, cut).equals(left)).to.equal(true);
  });
});
