import { createUrlValidator } from '@paymount/webhooks';
import { expect } from 'chai';
import fc from 'fast-check';
import { createAddressRules } from '../../../../packages/webhooks/src/egress/address-rules.ts';
import { isNightly } from '../../../support/depth.ts';

const RUNS = isNightly ? 5_000 : 500;

/** Refused by comparing bits, written from the list of addresses and not from the code. */
const REFUSED_V4 = `0/8 10/8 100.64/10 127/8 169.254/16 172.16/12 192.0.0/24 192.0.2/24
  192.31.196/24 192.52.193/24 192.88.99/24 192.168/16 192.175.48/24 198.18/15 198.51.100/24
  203.0.113/24 224/4 240/4 168.63.129.16/32`;

function v4IsRefused(bytes: Uint8Array): boolean {
  return REFUSED_V4.split(/\s+/).some((entry) => {
    const [numbers = '', length] = entry.split('/');
    const start = numbers.split('.').map(Number);
    return sameBits(bytes, start, Number(length));
  });
}

function v6IsRefused(bytes: Uint8Array): boolean {
  if (((bytes[0] ?? 0) & 0xe0) !== 0x20) return true;
  return (
    sameBits(bytes, [0x20, 0x01], 23) ||
    sameBits(bytes, [0x20, 0x01, 0x0d, 0xb8], 32) ||
    sameBits(bytes, [0x20, 0x02], 16) ||
    sameBits(bytes, [0x3f, 0xff, 0x00], 20) ||
    sameBits(bytes, [0x26, 0x20, 0x00, 0x4f, 0x80, 0x00], 48)
  );
}

function sameBits(bytes: Uint8Array, start: readonly number[], length: number): boolean {
  for (let bit = 0; bit < length; bit += 1) {
    const mask = 0x80 >> (bit % 8);
    const at = Math.floor(bit / 8);
    if (((bytes[at] ?? 0) & mask) !== ((start[at] ?? 0) & mask)) return false;
  }
  return true;
}

/** Addresses around the edges of the lists, where a wrong mask shows. */
const interestingFirst = fc.oneof(
  fc.integer({ min: 0, max: 255 }),
  fc.constantFrom(0, 10, 100, 127, 128, 168, 169, 172, 192, 198, 203, 223, 224),
);
const interestingNext = fc.oneof(
  fc.integer({ min: 0, max: 255 }),
  fc.constantFrom(
    0,
    2,
    15,
    16,
    18,
    19,
    20,
    31,
    32,
    51,
    52,
    63,
    64,
    88,
    100,
    113,
    127,
    128,
    129,
    168,
    175,
    193,
    196,
    254,
  ),
);
const v4 = fc
  .tuple(interestingFirst, interestingNext, interestingNext, interestingNext)
  .map((bytes) => Uint8Array.from(bytes));
const v6 = fc
  .tuple(
    fc.constantFrom(
      [0x20, 0x01],
      [0x20, 0x01, 0x0d, 0xb8],
      [0x20, 0x02],
      [0x3f, 0xff],
      [0x26, 0x20, 0x00, 0x4f, 0x80],
      [0xfd],
      [0xfe, 0x80],
      [0xff],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff],
      [],
    ),
    fc.uint8Array({ minLength: 16, maxLength: 16 }),
  )
  .map(([prefix, rest]) => Uint8Array.from([...prefix, ...rest].slice(0, 16)));

/** One of the spellings that the URL parser takes for the same address. */
function spellV4(bytes: Uint8Array, spelling: number): string {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const spellings = [
    `${a}.${b}.${c}.${d}`,
    String(whole),
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `0${a.toString(8)}.0x${b.toString(16)}.${c * 256 + d}`,
    `${a}.${b}.${c}.${d}.`,
    `${a}。${b}．${c}｡${d}`,
  ];
  return spellings[spelling % spellings.length] ?? '';
}

function spellV6(bytes: Uint8Array, short: boolean): string {
  const groups = Array.from(
    { length: 8 },
    (_, index) => (bytes[2 * index] ?? 0) * 256 + (bytes[2 * index + 1] ?? 0),
  );
  if (!short)
    return groups.map((group) => group.toString(16).padStart(4, '0').toUpperCase()).join(':');
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]/`).hostname.slice(
    1,
    -1,
  );
}

describe('Addresses', () => {
  const rules = createAddressRules({ allowedNetworks: [] });
  const options = { environment: 'test', allowedNetworks: [], ports: [], ownHosts: [] } as const;

  it(`are classified by their bytes, for ${RUNS} IPv4 addresses in every spelling`, () => {
    fc.assert(
      fc.property(v4, fc.nat(7), (bytes, spelling) => {
        const expected = v4IsRefused(bytes) ? 'refused' : 'public';
        expect(rules.classify(bytes.join('.'))).to.equal(expected);
        const verdict = createUrlValidator(options)(`https://${spellV4(bytes, spelling)}/`);
        expect(verdict.ok, spellV4(bytes, spelling)).to.equal(expected === 'public');
      }),
      { numRuns: RUNS },
    );
  });

  it(`are classified by their bytes, for ${RUNS} IPv6 addresses`, () => {
    fc.assert(
      fc.property(v6, fc.boolean(), (bytes, short) => {
        const address = spellV6(bytes, short);
        const expected = v6IsRefused(bytes) ? 'refused' : 'public';
        expect(rules.classify(address), address).to.equal(expected);
        expect(createUrlValidator(options)(`https://[${address}]/`).ok, address).to.equal(
          expected === 'public',
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('are refused at both ends of each listed network, and public just outside', () => {
    const edges = [
      ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
      ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
      ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
      ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
      ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
      ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
      ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
      ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
      ['2001:200::', '2001:1ff::', '2001::', '2001:200::1'],
      ['2003::', '2002::', '2002:ffff::', '2003::1'],
      ['2620:4f:7fff::', '2620:4f:8000::', '2620:4f:8000:ffff::', '2620:4f:8001::'],
    ];
    for (const [before = '', first = '', last = '', after = ''] of edges) {
      expect(
        [before, first, last, after].map((address) => rules.classify(address)),
        first,
      ).to.deep.equal(['public', 'refused', 'refused', 'public']);
    }
  });

  it('are refused when they are invalid, or name an interface of this machine', () => {
    for (const text of [
      '',
      'localhost',
      '8.8.8',
      '8.8.8.8/32',
      '[2606:4700::1111]',
      'fe80::1%eth0',
      '2606:4700::1111%1',
    ]) {
      expect(rules.classify(text), text).to.equal('refused');
    }
  });

  it('of this machine are refused although public, unless the host listed them', () => {
    const ownAddresses = ['203.1.2.3', '2a00:1::5'];
    const own = createAddressRules({ allowedNetworks: [], ownAddresses });
    expect(
      ['203.1.2.3', '2a00:1::5', '203.1.2.4'].map((address) => own.classify(address)),
    ).to.deep.equal(['refused', 'refused', 'public']);
    const listed = createAddressRules({ allowedNetworks: ['203.1.2.3/32'], ownAddresses });
    expect(listed.classify('203.1.2.3')).to.equal('lifted');
  });

  it('of a NAT64 gateway are refused, and where it is listed are what they lead to', () => {
    const closed = createAddressRules({ allowedNetworks: [] });
    const listed = createAddressRules({
      allowedNetworks: ['64:ff9b::/96', '64:ff9b:1::/48', '10.1.0.0/16'],
      ownAddresses: ['203.1.2.3'],
    });
    for (const [address, verdict] of [
      ['64:ff9b::808:808', 'lifted'],
      ['64:ff9b::10.1.2.3', 'lifted'],
      ['64:ff9b::10.2.0.1', 'refused'],
      ['64:ff9b::127.0.0.1', 'refused'],
      ['64:ff9b::203.1.2.3', 'refused'],
      ['64:ff9b:1:fffe::8.8.8.8', 'lifted'],
      ['64:ff9b:1:fffe::192.168.0.1', 'refused'],
      ['64:ff9b:1:808:8:800::', 'lifted'],
      ['64:ff9b:1:c0a8:0:100::', 'refused'],
      ['64:ff9b:1::', 'refused'],
    ] as const) {
      expect([closed.classify(address), listed.classify(address)], address).to.deep.equal([
        'refused',
        verdict,
      ]);
    }
  });

  it('embedded in IPv6 stay refused whatever the host listed', () => {
    const wide = createAddressRules({ allowedNetworks: ['0.0.0.0/0', '::/0'] });
    expect(wide.classify('::ffff:127.0.0.1')).to.equal('refused');
    expect(wide.classify('127.0.0.1')).to.equal('lifted');
    expect(wide.classify('::1')).to.equal('lifted');
  });
});
