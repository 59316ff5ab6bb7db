import { createUrlValidator, type UrlRuleOptions, type UrlVerdict } from '@paymount/webhooks';
import { expect } from 'chai';

const live: UrlRuleOptions = {
  environment: 'live',
  allowedNetworks: [],
  ports: [],
  ownHosts: ['api.payments.example.com', 'Händler.example.', '93.184.216.34', '2606:2800:220::1'],
};
const test: UrlRuleOptions = { ...live, environment: 'test' };

function validateUrl(url: string, options: UrlRuleOptions): UrlVerdict {
  return createUrlValidator(options)(url);
}

function requireRule(verdict: UrlVerdict): string {
  return verdict.ok ? `allowed: ${verdict.href}` : verdict.rule;
}

/** By what clouds hand out credentials, each with forms in which gateways may read it. */
const METADATA: readonly (readonly [string, readonly string[]])[] = [
  ...[
    [169, 254, 169, 254],
    [169, 254, 170, 2],
    [169, 254, 170, 23],
    [100, 100, 100, 200],
    [192, 0, 0, 192],
    [168, 63, 129, 16],
  ].map((bytes) => [bytes.join('.'), writtenForms(bytes)] as const),
  ['fd00:ec2::254', ['fd00:0ec2:0:0::0254']],
  ['fd00:ec2::23', ['fd00:ec2:0:0:0:0:0:23']],
  ['fd20:ce::254', []],
  ['fe80::a9fe:a9fe', []],
];

/** Written from the RFCs, not from the code. */
function writtenForms(bytes: readonly number[]): readonly string[] {
  const hex = (byte: number | undefined): string => (byte ?? 0).toString(16).padStart(2, '0');
  const [a, b, c, d] = bytes.map(hex);
  const [w, x, y, z] = bytes.map((byte) => hex(byte ^ 0xff));
  const dotted = bytes.join('.');
  return [
    // Mapped, compatible, translated (RFC 4291; RFC 2765).
    `::ffff:${dotted}`,
    `::ffff:${a}${b}:${c}${d}`,
    `::${dotted}`,
    `::ffff:0:${dotted}`,
    // NAT64: the well-known prefix, one for local use with /48, /56, /64 and /96 (RFC 6052, 8215).
    `64:ff9b::${dotted}`,
    `64:ff9b::${a}${b}:${c}${d}`,
    `64:ff9b:1::${dotted}`,
    `64:ff9b:1:${a}${b}:${c}:${d}00::`,
    `64:ff9b:1:aa${a}:${b}:${c}${d}::`,
    `64:ff9b:1:aabb:${a}:${b}${c}:${d}00::`,
    `64:ff9b:1:fffe::${dotted}`,
    // A gateway of the host's own.
    `fd00:64::${a}${b}:${c}${d}`,
    // 6to4, ISATAP, Teredo: server and client (RFC 3056, 5214, 4380).
    `2002:${a}${b}:${c}${d}::1`,
    `2002:c000:204:1:0:5efe:${a}${b}:${c}${d}`,
    `2001:0:${a}${b}:${c}${d}::1`,
    `2001:0:c000:204::${w}${x}:${y}${z}`,
  ];
}

describe('A URL at registration', () => {
  const refusedHosts = [
    ['127.0.0.1', 'address'],
    ['127.1', 'address'],
    ['2130706433', 'address'],
    ['0x7f.1', 'address'],
    ['0x7f000001', 'address'],
    ['017700000001', 'address'],
    ['127.0.0.1.', 'address'],
    ['①②⑦.0.0.1', 'address'],
    ['127。0。0。1', 'address'],
    ['0', 'address'],
    ['10.0.0.1', 'address'],
    ['172.16.0.1', 'address'],
    ['172.31.255.255', 'address'],
    ['192.168.1.1', 'address'],
    ['0300.0250.0.1', 'address'],
    ['169.254.169.254', 'address'],
    ['0xA9FEA9FE', 'address'],
    ['100.100.100.200', 'address'],
    ['168.63.129.16', 'address'],
    ['192.0.0.192', 'address'],
    ['198.19.255.255', 'address'],
    ['224.0.0.1', 'address'],
    ['240.0.0.1', 'address'],
    ['255.255.255.255', 'address'],
    ['[::]', 'address'],
    ['[::1]', 'address'],
    ['[::ffff:7f00:1]', 'address'],
    ['[::ffff:8.8.8.8]', 'address'],
    ['[::127.0.0.1]', 'address'],
    ['[64:ff9b::a9fe:a9fe]', 'address'],
    ['[64:ff9b:1::1]', 'address'],
    ['[2002:7f00:1::]', 'address'],
    ['[2001::1]', 'address'],
    ['[2001:db8::1]', 'address'],
    ['[fd00:ec2::254]', 'address'],
    ['[fd20:ce::254]', 'address'],
    ['[fe80::1]', 'address'],
    ['[fec0::1]', 'address'],
    ['[ff02::1]', 'address'],
    ['[3fff::1]', 'address'],
    ['[2620:4f:8000::1]', 'address'],
    ['8.8.8.8', 'address_literal'],
    ['[2606:4700::1111]', 'address_literal'],
    ['localhost', 'host_name'],
    ['ⓛocalhost', 'host_name'],
    ['LOCALHOST', 'host_name'],
    ['localhost.', 'host_name'],
    ['foo.localhost', 'host_name'],
    ['metadata.google.internal', 'host_name'],
    ['printer.local', 'host_name'],
    ['nas.lan', 'host_name'],
    ['box.home.arpa', 'host_name'],
    ['expyuzz4wqqyqhjn.onion', 'host_name'],
    ['merchant.test', 'host_name'],
    ['nothing.invalid', 'host_name'],
    ['intranet', 'host_name'],
    ['example.com.', 'host_name'],
    ['api.payments.example.com', 'own_host'],
    ['API.Payments.Example.COM', 'own_host'],
    ['xn--hndler-bua.example', 'own_host'],
    ['93.184.216.34', 'own_host'],
    ['0x5db8d822', 'own_host'],
    ['[2606:2800:0220:0:0:0:0:1]', 'own_host'],
    ['api.payments.example.com:8443', 'own_host'],
    ['example.com:6379', 'port'],
    ['example.com:80', 'port'],
    ['example.com:22', 'port'],
  ] as const;
  for (const [host, rule] of refusedHosts) {
    it(`refuses https://${host}/ by the rule "${rule}"`, () => {
      expect(requireRule(validateUrl(`https://${host}/`, live))).to.equal(rule);
    });
  }

  const refusedUrls = [
    ['http://example.com/', 'https'],
    ['ftp://example.com/', 'https'],
    ['file:///etc/passwd', 'https'],
    ['gopher://example.com/', 'https'],
    ['javascript:alert(1)', 'https'],
    ['https://example.com@127.0.0.1/', 'credentials'],
    ['https://user:secret@example.com/', 'credentials'],
    ['https://:secret@example.com/', 'credentials'],
    ['https:\\\\127.0.0.1/', 'characters'],
    ['https://example.com\\@127.0.0.1/', 'characters'],
    ['https://exa\tmple.com', 'characters'],
    ['https://example.com/\r\nHost: evil', 'characters'],
    ['https://example.com/\u0000', 'characters'],
    ['https://example.com/\u007f', 'characters'],
    ['https://example.com/\u0085', 'characters'],
    ['https://example.com/#part', 'fragment'],
    ['https://example.com/#', 'fragment'],
    [`https://example.com/${'x'.repeat(2_029)}`, 'length'],
    [`https://example.com/${'é'.repeat(700)}`, 'length'],
    ['https://4294967296/', 'malformed'],
    ['https://[fe80::1%25eth0]/', 'malformed'],
    ['https://example.com:65536/', 'malformed'],
    ['https://exa mple.com/', 'malformed'],
    ['https://', 'malformed'],
    ['', 'malformed'],
    ['/path', 'malformed'],
    ['hooks.example.com/path', 'malformed'],
    ['https://1.2.3.4.5/', 'malformed'],
    ['https://ex%00ample.com/', 'malformed'],
  ] as const;
  for (const [url, rule] of refusedUrls) {
    it(`refuses ${JSON.stringify(url.slice(0, 60))} by the rule "${rule}"`, () => {
      expect(requireRule(validateUrl(url, live))).to.equal(rule);
    });
  }

  it('takes what the whole world can reach, and gives back what will be dialled', () => {
    const allowed = [
      ['https://hooks.example.com/path?x=1', 'https://hooks.example.com/path?x=1'],
      ['https://hooks.example.com:8443/', 'https://hooks.example.com:8443/'],
      ['https://hooks.example.com:443/', 'https://hooks.example.com/'],
      ['HTTPS://Hooks.Example.COM/A b', 'https://hooks.example.com/A%20b'],
      ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
      [`https://example.com/${'x'.repeat(2_028)}`, `https://example.com/${'x'.repeat(2_028)}`],
    ] as const;
    for (const [url, href] of allowed) {
      expect(validateUrl(url, live)).to.deep.equal({ ok: true, href });
    }
  });

  it('takes plain HTTP, port 80 and public addresses in test mode only', () => {
    for (const url of [
      'http://hooks.example.com/',
      'https://8.8.8.8/',
      'https://example.com:80/',
    ]) {
      expect(validateUrl(url, test).ok, url).to.equal(true);
      expect(validateUrl(url, live).ok, url).to.equal(false);
    }
    expect(requireRule(validateUrl('http://10.0.0.1/', test))).to.equal('address');
    expect(requireRule(validateUrl('http://localhost:3000/', test))).to.equal('host_name');
  });

  it('takes the ports that the host adds', () => {
    const options = { ...live, ports: [9443] };
    expect(validateUrl('https://example.com:9443/', options).ok).to.equal(true);
    expect(requireRule(validateUrl('https://example.com:9444/', options))).to.equal('port');
  });

  it('keeps to the ports in a network that the host listed, too', () => {
    const options = { ...test, allowedNetworks: ['127.0.0.0/8', '10.1.0.0/16'], ports: [4000] };
    for (const url of [
      'http://127.0.0.1:4000/',
      'http://localhost:4000/',
      'http://receiver.localhost:4000/',
      'https://10.1.2.3/',
      'https://10.1.2.3:8443/',
      'http://10.1.2.3/',
    ]) {
      expect(validateUrl(url, options).ok, url).to.equal(true);
    }
    for (const url of [
      'https://10.1.2.3:6379/',
      'http://127.0.0.1:5432/',
      'http://localhost:4001/',
      'http://receiver.localhost:22/',
    ]) {
      expect(requireRule(validateUrl(url, options)), url).to.equal('port');
    }
    for (const url of ['http://10.2.0.1/', 'http://[::1]/', 'http://intranet/']) {
      expect(validateUrl(url, options).ok, url).to.equal(false);
    }
  });

  it('takes any port of listed networks when the host says so, and of nothing else', () => {
    const options = { ...test, allowedNetworks: ['127.0.0.0/8'], ports: 'any' } as const;
    for (const url of ['http://127.0.0.1:6379/', 'http://localhost:4001/']) {
      expect(validateUrl(url, options).ok, url).to.equal(true);
    }
    for (const url of ['https://example.com:6379/', 'https://8.8.8.8:22/']) {
      expect(requireRule(validateUrl(url, options)), url).to.equal('port');
    }
    expect(requireRule(validateUrl('http://10.0.0.1:6379/', options))).to.equal('address');
  });

  it('keeps live on HTTPS inside listed networks too', () => {
    const options = { ...live, allowedNetworks: ['127.0.0.0/8'], ports: [4000] };
    expect(requireRule(validateUrl('http://127.0.0.1:4000/', options))).to.equal('https');
    expect(validateUrl('https://127.0.0.1:4000/', options).ok).to.equal(true);
  });

  for (const [address, forms] of METADATA) {
    it(`refuses ${address} and all its forms, whatever networks the host listed`, () => {
      for (const host of [address, ...forms]) {
        const text = host.includes(':') ? `[${host}]` : host;
        const listed = [
          '0.0.0.0/0',
          '::/0',
          '169.254.0.0/16',
          '100.64.0.0/10',
          '192.0.0.0/24',
          'fd00::/8',
          'fd00:ec2::/32',
          '64:ff9b::/96',
          '64:ff9b:1::/48',
          '2002::/16',
          '2001::/32',
          'fe80::/10',
          'fd00:64::/96',
          host,
        ];
        const options = { ...test, allowedNetworks: listed, ports: 'any' } as const;
        expect(requireRule(validateUrl(`http://${text}/`, options)), host).to.equal('address');
      }
    });
  }

  it('says the rule and the cure, and never an address', () => {
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', 'metadata.google.internal']) {
      const verdict = validateUrl(`https://${host}/`, live);
      expect(verdict.ok ? '' : verdict.message).to.match(/^The host is not .+; use .+\.$/);
      expect(verdict.ok ? host : verdict.message).not.to.include(host.replace(/[[\]]/g, ''));
    }
  });

  it('throws on a network that the host misspelled, naming it', () => {
    for (const network of [
      '10.0.0.0/33',
      '10.0.0/8',
      'localhost',
      '::/129',
      '10.0.0.0/8/8',
      '1.2.3.4/',
      '',
    ]) {
      expect(
        () => validateUrl('https://example.com/', { ...live, allowedNetworks: [network] }),
        network,
      ).to.throw(RangeError, `"${network}" is not a network`);
    }
  });
});
