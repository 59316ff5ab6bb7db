import { createUrlJudge, type UrlRuleOptions, type UrlVerdict } from '@paymount/webhooks';
import { expect } from 'chai';

const live: UrlRuleOptions = {
  environment: 'live',
  allowedNetworks: [],
  ports: [],
  ownHosts: ['api.payments.example.com'],
};
const test: UrlRuleOptions = { ...live, environment: 'test' };

function judgeUrl(url: string, options: UrlRuleOptions): UrlVerdict {
  return createUrlJudge(options)(url);
}

function ruleOf(verdict: UrlVerdict): string {
  return verdict.ok ? `allowed: ${verdict.href}` : verdict.rule;
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
    ['example.com:6379', 'port'],
    ['example.com:80', 'port'],
    ['example.com:22', 'port'],
  ] as const;
  for (const [host, rule] of refusedHosts) {
    it(`refuses https://${host}/ by the rule "${rule}"`, () => {
      expect(ruleOf(judgeUrl(`https://${host}/`, live))).to.equal(rule);
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
      expect(ruleOf(judgeUrl(url, live))).to.equal(rule);
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
      expect(judgeUrl(url, live)).to.deep.equal({ ok: true, href });
    }
  });

  it('takes plain HTTP, port 80 and public addresses in test mode only', () => {
    for (const url of [
      'http://hooks.example.com/',
      'https://8.8.8.8/',
      'https://example.com:80/',
    ]) {
      expect(judgeUrl(url, test).ok, url).to.equal(true);
      expect(judgeUrl(url, live).ok, url).to.equal(false);
    }
    expect(ruleOf(judgeUrl('http://10.0.0.1/', test))).to.equal('address');
    expect(ruleOf(judgeUrl('http://localhost:3000/', test))).to.equal('host_name');
  });

  it('takes the ports that the host adds', () => {
    const options = { ...live, ports: [9443] };
    expect(judgeUrl('https://example.com:9443/', options).ok).to.equal(true);
    expect(ruleOf(judgeUrl('https://example.com:9444/', options))).to.equal('port');
  });

  it('takes any port of a network that the host listed, and nothing outside it', () => {
    const options = { ...test, allowedNetworks: ['127.0.0.0/8', '10.1.0.0/16'] };
    for (const url of [
      'http://127.0.0.1:4000/',
      'http://localhost:4000/',
      'http://receiver.localhost:4000/',
      'https://10.1.2.3:6379/',
    ]) {
      expect(judgeUrl(url, options).ok, url).to.equal(true);
    }
    for (const url of ['http://10.2.0.1/', 'http://[::1]/', 'http://intranet/']) {
      expect(judgeUrl(url, options).ok, url).to.equal(false);
    }
  });

  it('keeps live on HTTPS inside listed networks too', () => {
    const options = { ...live, allowedNetworks: ['127.0.0.0/8'] };
    expect(ruleOf(judgeUrl('http://127.0.0.1:4000/', options))).to.equal('https');
    expect(judgeUrl('https://127.0.0.1:4000/', options).ok).to.equal(true);
  });

  it('opens the metadata addresses of clouds only when they are listed alone', () => {
    const metadata = ['169.254.169.254', '168.63.129.16', '[fd00:ec2::254]', '[fd20:ce::254]'];
    for (const host of metadata) {
      const address = host.replace(/[[\]]/g, '');
      const wide = [
        '169.254.0.0/16',
        '168.63.0.0/16',
        'fd00::/8',
        'fd00:ec2::/32',
        '0.0.0.0/0',
        '::/0',
      ];
      const judged = (allowedNetworks: readonly string[]): string =>
        ruleOf(judgeUrl(`http://${host}/`, { ...test, allowedNetworks }));
      expect(judged(wide), host).to.equal('address');
      expect(judged([`${address}/${address.includes(':') ? 128 : 32}`])).to.equal(
        `allowed: http://${host}/`,
      );
    }
  });

  it('says the rule and the cure, and never an address', () => {
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', 'metadata.google.internal']) {
      const verdict = judgeUrl(`https://${host}/`, live);
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
        () => judgeUrl('https://example.com/', { ...live, allowedNetworks: [network] }),
        network,
      ).to.throw(RangeError, `"${network}" is not a network`);
    }
  });
});
