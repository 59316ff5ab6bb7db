import { expect } from 'chai';
import {
  isCallbackOrigin,
  redirectUriFault,
} from '../../../../../packages/core/src/oauth/platforms/redirect-uri.ts';

const live = { environment: 'live', type: 'confidential' } as const;
const test = { environment: 'test', type: 'confidential' } as const;
const app = { environment: 'live', type: 'public' } as const;

describe('A redirect URI', () => {
  it('may use https, in any environment', () => {
    for (const uri of [
      'https://app.example.com',
      'https://app.example.com/',
      'https://app.example.com:8443/oauth/callback',
      'https://app.example.com?tenant=7',
      'https://app.example.com/a%20b?tenant=7&x',
      'https://xn--bcher-kva.example/cb',
      'https://[2001:db8::1]/cb',
    ]) {
      for (const context of [live, test, app]) {
        expect(redirectUriFault(uri, context), uri).to.equal(undefined);
      }
    }
  });

  it('may use http in test, and to a loopback address for an app', () => {
    expect(redirectUriFault('http://localhost:3000/cb', test)).to.equal(undefined);
    for (const uri of ['http://127.0.0.1/cb', 'http://[::1]:8080/', 'http://localhost/cb']) {
      expect(redirectUriFault(uri, app), uri).to.equal(undefined);
      expect(redirectUriFault(uri, live)).to.equal('must use https in live.');
    }
    expect(redirectUriFault('http://app.example.com/cb', app)).to.match(/^must use https, or http/);
  });

  it('may use the reversed domain name of an app as its scheme (RFC 8252, 7.1)', () => {
    expect(redirectUriFault('com.example.app:/callback', app)).to.equal(undefined);
    for (const uri of [
      'myapp:/callback',
      'javascript:alert(1)',
      'data:text/html,hi',
      'file:///x',
    ]) {
      expect(redirectUriFault(uri, app), uri).to.match(/^has the scheme/);
      expect(redirectUriFault(uri, test), uri).to.match(/^has the scheme/);
    }
    expect(redirectUriFault('com.example.app:/callback', live)).to.match(/Only https is allowed/);
  });

  for (const [uri, fault] of [
    ['/callback', /^is not an absolute URI/],
    ['https://', /^is not an absolute URI/],
    ['https://app.example.com/#', /fragment/],
    ['https://app.example.com/cb#/route', /fragment/],
    ['https://user@app.example.com/', /user name/],
    ['https://user:pass@app.example.com/', /user name/],
    ['https://*.example.com/', /`\*`/],
    ['https://app.example.com/*', /`\*`/],
    ['https:\\\\app.example.com\\cb', /character/],
    ['https://app.example.com/a b', /character/],
    ['https://app.example.com/\ncb', /character/],
    ['https://bücher.example/', /character/],
    ['https://app.example.com/?code=1', /parameter code/],
    ['https://app.example.com/?a=1&state=2', /parameter state/],
    ['https://app.example.com/?iss=x', /parameter iss/],
    ['HTTPS://app.example.com/', /Did you mean https:\/\/app\.example\.com\/\?/],
    ['https://APP.example.com/cb', /normal form/],
    ['https://app.example.com:443/cb', /normal form/],
    ['https://app.example.com/a/../cb', /Did you mean https:\/\/app\.example\.com\/cb\?/],
    ['https://app.example.com/%2e%2e/cb', /normal form/],
    ['https://0x7f.1/', /normal form/],
    ['https:app.example.com', /normal form/],
  ] as const) {
    it(`is not ${JSON.stringify(uri)}`, () => {
      for (const context of [live, test, app]) {
        expect(redirectUriFault(uri, context)).to.match(fault);
      }
    });
  }
});

describe('A callback origin', () => {
  it('is a scheme, a host and maybe a port, with https in live', () => {
    expect(isCallbackOrigin('https://app.example.com', 'live')).to.equal(true);
    expect(isCallbackOrigin('https://app.example.com:8443', 'live')).to.equal(true);
    expect(isCallbackOrigin('http://localhost:3000', 'test')).to.equal(true);
    expect(isCallbackOrigin('http://localhost:3000', 'live')).to.equal(false);
    for (const text of [
      'https://app.example.com/',
      'https://App.example.com',
      'null',
      '*',
      'com.example:',
    ]) {
      expect(isCallbackOrigin(text, 'test'), text).to.equal(false);
    }
  });
});
