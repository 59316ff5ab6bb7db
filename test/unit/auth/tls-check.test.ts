import type { IncomingHttpHeaders } from 'node:http';
import { TLSSocket } from 'node:tls';
import { PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { ClientAddresses } from '../../../packages/auth/src/addresses/client-address.ts';
import { TlsCheck, type TlsRequest } from '../../../packages/auth/src/tls/tls-check.ts';

/** `let in`, or what was found instead of TLS. */
function verdict(
  peer: string | undefined | TlsRequest['socket'],
  headers: IncomingHttpHeaders = {},
  versionHeader?: string,
): string {
  const check = new TlsCheck({
    addresses: new ClientAddresses(['10.0.0.0/8', '127.0.0.2']),
    ...(versionHeader === undefined ? {} : { versionHeader }),
  });
  try {
    const socket = peer instanceof TLSSocket ? peer : { remoteAddress: peer };
    check.assert({ headers, socket: socket as TlsRequest['socket'] });
    return 'let in';
  } catch (error) {
    if (!PaymountError.is(error) || error.code !== 'tls_required') throw error;
    const [, how = ''] =
      /^The request came (.*); TLS 1.2 or later is needed\.$/.exec(error.message) ?? [];
    return how;
  }
}

const UNTRUSTED =
  'without TLS, from a proxy that is not trusted (the host lists those in `trustedProxies`)';
const UNNAMED =
  'from a trusted proxy without `X-Forwarded-Proto`, which says whether its client used TLS';
const HTTPS = { 'x-forwarded-proto': 'https' };

describe('what must come over TLS', () => {
  it('lets a plain peer on this machine in, in every form of its address', () => {
    for (const address of ['127.0.0.1', '127.8.7.6', '::1', '::ffff:127.0.0.1']) {
      expect(verdict(address), address).to.equal('let in');
    }
  });

  it('refuses a peer without TLS from elsewhere, and one with an unknown address', () => {
    for (const address of [
      '203.0.113.9',
      '11.1.2.3',
      '2001:db8::1',
      '::ffff:203.0.113.9',
      '1270::',
      undefined,
    ]) {
      expect(verdict(address), address).to.equal('without TLS');
    }
  });

  it('refuses what a proxy on this machine forwards, unless the proxy is trusted', () => {
    for (const name of [
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-real-ip',
      'forwarded',
      'via',
    ]) {
      expect(verdict('127.0.0.1', { [name]: 'https' }), name).to.equal(UNTRUSTED);
    }
    expect(verdict('127.0.0.2', HTTPS)).to.equal('let in');
  });

  it('believes X-Forwarded-Proto of a trusted proxy alone', () => {
    expect(verdict('10.1.2.3', HTTPS)).to.equal('let in');
    expect(verdict('::ffff:10.1.2.3', HTTPS)).to.equal('let in');
    expect(verdict('11.1.2.3', HTTPS)).to.equal(UNTRUSTED);
    expect(verdict('203.0.113.9', HTTPS)).to.equal(UNTRUSTED);
  });

  it('refuses what a trusted proxy names no scheme of, whatever its own connection is', () => {
    const encrypted = (remoteAddress: string): TLSSocket =>
      Object.create(TLSSocket.prototype, {
        remoteAddress: { value: remoteAddress },
        getProtocol: { value: () => 'TLSv1.3' },
      });
    for (const peer of ['10.1.2.3', '127.0.0.2', encrypted('10.1.2.3'), encrypted('127.0.0.2')]) {
      expect(verdict(peer)).to.equal(UNNAMED);
      expect(verdict(peer, { 'x-tls-version': 'TLSv1.3' }, 'X-TLS-Version')).to.equal(UNNAMED);
      expect(verdict(peer, HTTPS)).to.equal('let in');
    }
    expect(verdict(encrypted('11.1.2.3'))).to.equal('let in');
  });

  it('refuses unless every proxy of a chain says https', () => {
    for (const scheme of ['http', 'https, http', 'http, https', 'https,', '', 'wss', 'httpsx']) {
      expect(verdict('10.1.2.3', { 'x-forwarded-proto': scheme }), scheme).to.equal(
        'without TLS to the proxy',
      );
    }
    for (const scheme of ['https, https', ' HTTPS ']) {
      expect(verdict('10.1.2.3', { 'x-forwarded-proto': scheme }), scheme).to.equal('let in');
    }
  });

  it('reads the version that a trusted proxy names, once a header is named for it', () => {
    const version = (value?: string): string =>
      verdict(
        '10.1.2.3',
        { ...HTTPS, ...(value === undefined ? {} : { 'x-tls-version': value }) },
        'X-TLS-Version',
      );
    for (const good of ['TLSv1.2', 'TLSv1.3', 'TLS1.2', '1.3', 'tlsv1.3', ' TLSv1.2 ']) {
      expect(version(good), good).to.equal('let in');
    }
    for (const bad of ['TLSv1.1', 'TLSv1', 'SSLv3', '1.20', 'TLSv1.2, TLSv1', '-', '', undefined]) {
      expect(version(bad), bad).to.equal(
        'over a version of TLS that the proxy does not call 1.2 or later',
      );
    }
  });
});
