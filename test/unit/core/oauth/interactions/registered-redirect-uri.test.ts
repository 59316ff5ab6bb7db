import { expect } from 'chai';
import { registeredRedirectUri } from '../../../../../packages/core/src/oauth/interactions/registered-redirect-uri.ts';

const HTTPS = 'https://ledger.example.com/callback';
const LOOPBACK = 'http://127.0.0.1/callback';

describe('The redirect URI of an authorization request', () => {
  const confidential = { type: 'confidential', redirectUris: [HTTPS] } as const;
  const app = { type: 'public', redirectUris: [HTTPS, LOOPBACK, 'http://[::1]/cb?a=b'] } as const;

  it('is the registered one, byte for byte (RFC 9700, section 2.1; O01)', () => {
    expect(registeredRedirectUri(confidential, HTTPS)).to.equal(HTTPS);
    for (const sent of [
      `${HTTPS}/`,
      `${HTTPS}/more`,
      `${HTTPS}?a=b`,
      `${HTTPS}#a`,
      'https://ledger.example.com:443/callback',
      'https://ledger.example.com:8443/callback',
      'https://LEDGER.example.com/callback',
      'https://user@ledger.example.com/callback',
      'https://ledger.example.com/x/../callback',
      'https://ledger.example.com.evil.example/callback',
      'https://evil.example/?https://ledger.example.com/callback',
      'http://ledger.example.com/callback',
      'javascript:alert(1)',
      '//ledger.example.com/callback',
    ]) {
      expect(registeredRedirectUri(confidential, sent), sent).to.equal(undefined);
    }
  });

  it('may be absent if exactly one is registered', () => {
    expect(registeredRedirectUri(confidential, undefined)).to.equal(HTTPS);
    expect(registeredRedirectUri(app, undefined)).to.equal(undefined);
  });

  it('may have any port if a public platform registered a loopback address (RFC 8252, section 7.3)', () => {
    for (const sent of [LOOPBACK, 'http://127.0.0.1:51004/callback', 'http://[::1]:1/cb?a=b']) {
      expect(registeredRedirectUri(app, sent), sent).to.equal(sent);
    }
    for (const sent of [
      'http://127.0.0.2:51004/callback',
      'http://localhost:51004/callback',
      'https://127.0.0.1:51004/callback',
      'http://127.0.0.1:51004/other',
      'http://127.0.0.1:51004@evil.example/callback',
      'http://evil.example:51004/callback',
      'http://[::1]:1/cb',
      'https://ledger.example.com:51004/callback',
    ]) {
      expect(registeredRedirectUri(app, sent), sent).to.equal(undefined);
    }
    const secretKeeper = { type: 'confidential', redirectUris: [LOOPBACK] } as const;
    expect(registeredRedirectUri(secretKeeper, 'http://127.0.0.1:51004/callback')).to.equal(
      undefined,
    );
  });
});
