import { expect } from 'chai';
import { ClientAddresses } from '../../../../packages/auth/src/addresses/client-address.ts';
import { addressBlock } from '../../../../packages/core/src/access/addresses/address.ts';

const direct = new ClientAddresses();
const proxied = new ClientAddresses(['127.0.0.1', '10.0.0.0/8', '2001:db8:ff::/48']);

describe('the address of the client', () => {
  for (const [peer, client] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1'],
    [undefined, undefined],
  ] as const) {
    it(`is the peer of the socket when no proxy is trusted: ${peer}`, () => {
      expect(direct.of({ remoteAddress: peer, forwardedFor: '198.51.100.9' })).to.equal(client);
    });
  }

  for (const [title, remoteAddress, forwardedFor, client] of [
    ['the entry that the proxy wrote', '127.0.0.1', '198.51.100.9', '198.51.100.9'],
    [
      'the last untrusted entry',
      '::ffff:127.0.0.1',
      '1.1.1.1, 198.51.100.9, 10.2.3.4',
      '198.51.100.9',
    ],
    ['an entry without its mapping', '127.0.0.1', '::ffff:198.51.100.9', '198.51.100.9'],
    ['an entry without its zone', '127.0.0.1', 'fe80::1%eth0', 'fe80::1'],
    ['an IPv6 entry in canonical form', '2001:db8:ff::1', '2001:DB8:0:0::9', '2001:db8::9'],
    ['an entry without its port', '127.0.0.1', '198.51.100.9:443', '198.51.100.9'],
    ['an IPv6 entry without its port', '127.0.0.1', '[2001:db8::9]:443', '2001:db8::9'],
    ['the peer, when no proxy forwarded', '198.51.100.9', undefined, '198.51.100.9'],
    ['the peer, whatever it forwards untrusted', '198.51.100.9', '10.0.0.1', '198.51.100.9'],
    [
      'what stands left of proxies, past garbage further left',
      '10.0.0.1',
      'x, 192.0.2.1,10.0.0.2',
      '192.0.2.1',
    ],
  ] as const) {
    it(`is ${title}`, () => {
      expect(proxied.of({ remoteAddress, forwardedFor })).to.equal(client);
    });
  }

  for (const [title, forwardedFor] of [
    ['the proxy names nobody', undefined],
    ['there are only trusted ones', '10.1.1.1, 10.2.2.2'],
    ['the entry is a word', 'unknown'],
    ['the entry is empty', '198.51.100.9,'],
    ['the entry is half an address', '198.51.100'],
    ['the entry has leading zeros', '198.051.100.9'],
    ['the entry is a range', '198.51.100.0/24'],
  ] as const) {
    it(`is unknown when ${title}`, () => {
      expect(proxied.of({ remoteAddress: '127.0.0.1', forwardedFor })).to.equal(undefined);
    });
  }

  it('needs ranges that are right, and says which is not', () => {
    expect(() => new ClientAddresses(['127.0.0.1', '10.1.0.0/8'])).to.throw(
      TypeError,
      'The option `trustedProxies[1]` has bits set beyond its prefix of 8; did you mean 10.0.0.0/8?',
    );
  });

  it('counts an IPv4 address alone, and IPv6 by its /64', () => {
    expect(addressBlock('203.0.113.7')).to.equal('203.0.113.7');
    expect(addressBlock('2001:db8:1:2:3:4:5:6')).to.equal('2001:db8:1:2::');
    expect(addressBlock('2001:db8:1:2:ffff::1')).to.equal('2001:db8:1:2::');
    expect(addressBlock('2001:db8:1:3::1')).to.equal('2001:db8:1:3::');
    expect(addressBlock(undefined)).to.equal('unknown');
  });
});
