import { expect } from 'chai';
import {
  AddressList,
  isListed,
} from '../../../../../packages/core/src/access/addresses/address-list.ts';
import { suggestRanges } from '../../../../../packages/core/src/access/addresses/suggest-ranges.ts';

const RANGES = ['10.0.0.0/8', '203.0.113.7/32', '2001:db8:1:2::/64'] as const;

describe('a list of addresses', () => {
  for (const [address, listed] of [
    ['10.255.255.255', true],
    ['11.0.0.0', false],
    ['9.255.255.255', false],
    ['203.0.113.7', true],
    ['203.0.113.6', false],
    ['2001:db8:1:2:ffff::1', true],
    ['2001:db8:1:3::1', false],
    ['::a00:1', false],
    [undefined, false],
  ] as const) {
    it(`${listed ? 'holds' : 'does not hold'} ${address}`, () => {
      expect(isListed(RANGES, address)).to.equal(listed);
      // Once more, from what it remembers.
      expect(isListed(RANGES, address)).to.equal(listed);
    });
  }

  it('answers alike when it is asked for more addresses than it remembers', () => {
    const list = new AddressList(['192.0.2.0/25'], 4);
    const asked = Array.from({ length: 256 }, (_, index) => list.has(`192.0.2.${index}`));
    expect(asked.filter(Boolean)).to.have.length(128);
    expect(asked.lastIndexOf(true)).to.equal(127);
  });
});

describe('suggested ranges', () => {
  const of = (...addresses: string[]) =>
    suggestRanges(addresses.map((address, index) => ({ address, requests: index + 1 })));

  it('are the address itself when it is alone', () => {
    expect(of('203.0.113.7')).to.deep.equal([
      { range: '203.0.113.7/32', requests: 1, addresses: 1 },
    ]);
    expect(of('2001:db8::7')[0]?.range).to.equal('2001:db8::7/128');
  });

  it('are the smallest that cover the addresses of one /24', () => {
    expect(of('203.0.113.4', '203.0.113.7', '203.0.113.5')).to.deep.equal([
      { range: '203.0.113.4/30', requests: 6, addresses: 3 },
    ]);
    expect(of('203.0.113.1', '203.0.113.200')[0]?.range).to.equal('203.0.113.0/24');
  });

  it('never grow beyond a /24 or a /48, and come most used first', () => {
    expect(
      of('203.0.113.255', '203.0.114.0', '2001:db8:1::1', '2001:db8:1:8000::1', '2001:db8:2::1'),
    ).to.deep.equal([
      { range: '2001:db8:1::/48', requests: 7, addresses: 2 },
      { range: '2001:db8:2::1/128', requests: 5, addresses: 1 },
      { range: '203.0.114.0/32', requests: 2, addresses: 1 },
      { range: '203.0.113.255/32', requests: 1, addresses: 1 },
    ]);
  });

  it('are empty when nothing was used', () => {
    expect(of()).to.deep.equal([]);
  });
});
