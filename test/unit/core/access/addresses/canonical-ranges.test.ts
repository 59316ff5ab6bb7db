import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  canonicalRanges,
  requireRanges,
} from '../../../../../packages/core/src/access/addresses/canonical-ranges.ts';

/** What a list of one entry is refused with. */
function parseError(input: string): string {
  const result = canonicalRanges([input]);
  if ('ranges' in result) throw new Error(`${input} was taken as ${result.ranges.join()}`);
  return result.refused.reason;
}

function parseRanges(...inputs: readonly string[]): readonly string[] {
  const result = canonicalRanges(inputs);
  if ('refused' in result) throw new Error(result.refused.reason);
  return result.ranges;
}

describe('canonical ranges', () => {
  for (const [input, canonical] of [
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['128.0.0.0/1', '128.0.0.0/1'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['2001:0DB8:0000:0000::/32', '2001:db8::/32'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1/128'],
    ['0:0:1:0:0:1:1:1', '::1:0:0:1:1:1/128'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1/128'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201/128'],
    ['::ffff:192.0.2.1', '192.0.2.1/32'],
    ['::FFFF:c000:201', '192.0.2.1/32'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
  ] as const) {
    it(`writes ${input} as ${canonical}`, () => {
      expect(parseRanges(input)).to.deep.equal([canonical]);
    });
  }

  for (const [input, reason] of [
    ['10.1.2.3/8', 'has bits set beyond its prefix of 8; did you mean 10.0.0.0/8?'],
    ['2001:db8:1::/32', 'has bits set beyond its prefix of 32; did you mean 2001:db8::/32?'],
    ['::ffff:10.1.2.3/104', 'has bits set beyond its prefix of 8; did you mean 10.0.0.0/8?'],
    ['0.0.0.0/0', 'contains every address; leave the list out (null) instead.'],
    ['10.0.0.0/0', 'contains every address; leave the list out (null) instead.'],
    ['::/0', 'contains every address; leave the list out (null) instead.'],
    ['::ffff:0.0.0.0/96', 'contains every address; leave the list out (null) instead.'],
    ['::ffff:0.0.0.0/95', 'is wider than IPv4; write IPv4 ranges as IPv4.'],
    ['fe80::1%eth0', 'has a zone, which is not allowed here; did you mean fe80::1/128?'],
    ['fe80::1%1/10', 'has a zone, which is not allowed here; did you mean fe80::/10?'],
    ['010.0.0.1', 'has leading zeros; did you mean 10.0.0.1/32?'],
    ['10.001.2.3/8', 'has leading zeros; did you mean 10.0.0.0/8?'],
    ['10.0.0.0/08', 'has leading zeros; did you mean 10.0.0.0/8?'],
    ['10.0.0.0/33', 'has a prefix longer than 32 bits.'],
    ['2001:db8::/129', 'has a prefix longer than 128 bits.'],
    ['10.0.0.0/', 'must end in a prefix length such as /24.'],
    ['10.0.0.0/255.0.0.0', 'must end in a prefix length such as /24.'],
    ['10.0.0.0/8/8', 'must end in a prefix length such as /24.'],
  ] as const) {
    it(`refuses ${input}: it ${reason}`, () => {
      expect(parseError(input)).to.equal(reason);
    });
  }

  for (const input of ['', 'localhost', '10.1', '0x0a.0.0.1', ' 10.0.0.1', '10.0.0.256', '1:2:3']) {
    it(`refuses ${JSON.stringify(input)}, which is not an address, without a suggestion`, () => {
      expect(parseError(input)).to.equal(
        'is not an IPv4 or IPv6 address or a range such as 203.0.113.0/24.',
      );
    });
  }

  it('echoes nothing of a text that is not an address', () => {
    expect(parseError('confidential')).not.to.contain('confidential');
  });

  it('leaves out duplicates, however they are written, and what lies in another range', () => {
    expect(
      parseRanges(
        '10.1.0.0/16',
        '2001:db8::1',
        '10.0.0.0/8',
        '::ffff:10.0.0.0/104',
        '192.0.2.1',
        '2001:0db8:0::1/128',
        '192.0.2.1/32',
        '10.255.0.1',
      ),
    ).to.deep.equal(['2001:db8::1/128', '10.0.0.0/8', '192.0.2.1/32']);
  });

  it('takes 1 to 100 entries', () => {
    const many = Array.from({ length: 101 }, (_, index) => `192.0.2.${index}`);
    expect(parseRanges(...many.slice(0, 100))).to.have.length(100);
    expect(canonicalRanges(many)).to.deep.equal({
      refused: { reason: 'has 101 entries; the maximum is 100.' },
    });
    expect(canonicalRanges([])).to.deep.equal({
      refused: { reason: 'is empty; leave it out (null) to allow every address.' },
    });
  });

  it('names the entry that is refused, as the parameter at fault', () => {
    let thrown: unknown;
    try {
      requireRanges(['10.0.0.0/8', '192.0.2.1', '192.0.2.2', '10.1.2.3/8'], 'allowed_ips');
    } catch (error) {
      thrown = error;
    }
    if (!PaymountError.is(thrown)) throw new Error('It was taken.');
    expect(thrown.code).to.equal('parameter_invalid');
    expect(thrown.param).to.equal('allowed_ips[3]');
    expect(thrown.message).to.equal(
      'allowed_ips[3] has bits set beyond its prefix of 8; did you mean 10.0.0.0/8?',
    );
  });

  it('suggests only what it would take', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
    const v4 = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'));
    const v6 = fc.array(group, { minLength: 8, maxLength: 8 }).map((parts) => parts.join(':'));
    const texts = fc.oneof(
      fc.tuple(v4, fc.integer({ min: 0, max: 34 })).map((pair) => pair.join('/')),
      fc.tuple(v6, fc.integer({ min: 0, max: 130 })).map((pair) => pair.join('/')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const result = canonicalRanges([text]);
        if ('ranges' in result) return canonicalAgain(result.ranges);
        const [, suggested] = /did you mean (.*)\?$/.exec(result.refused.reason) ?? [];
        return suggested === undefined || canonicalAgain([suggested]);
      }),
      { numRuns: 2000 },
    );
  });
});

function canonicalAgain(ranges: readonly string[]): boolean {
  const again = canonicalRanges(ranges);
  return 'ranges' in again && again.ranges.join() === ranges.join();
}
