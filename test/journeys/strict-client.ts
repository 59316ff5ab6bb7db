import { expect } from 'chai';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  tokenIntrospection,
  tokenRevocation,
} from 'openid-client';
import { WebBrowser } from '../../example-host/src/demo/web-browser.ts';

/** The part of a demo's file that a platform needs. */
export interface OAuthFacts {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly authorizeUrl: string;
  readonly loginAs: { readonly name: string; readonly password: string };
}

/**
 * What `openid-client`, unmodified, makes of an authorization server: it checks each response against
 * the metadata and the standards, and throws otherwise.
 * @param account the merchant who approves
 */
export async function expectStrictClient(
  issuer: string,
  account: string,
  { clientId, clientSecret, redirectUri, authorizeUrl, loginAs }: OAuthFacts,
): Promise<void> {
  const config = await discovery(new URL(issuer), clientId, clientSecret, undefined, {
    algorithm: 'oauth2',
    // The demo is on this machine, without TLS.
    execute: [allowInsecureRequests],
  });
  expect(config.serverMetadata().authorization_endpoint).to.equal(authorizeUrl);
  const pkceCodeVerifier = randomPKCECodeVerifier();
  const expectedState = randomState();
  const browser = new WebBrowser();
  const login = await browser.open(
    buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'charges:read payouts:read',
      state: expectedState,
      code_challenge: await calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    }).href,
  );
  const consent = await browser.submit(login, loginAs);
  const allowed = { scope: ['charges:read'], decision: 'approve' };
  const { url } = await browser.submit(consent, allowed);
  const tokens = await authorizationCodeGrant(config, new URL(url), {
    pkceCodeVerifier,
    expectedState,
  });
  expect(tokens).to.include({ scope: 'charges:read', merchant_id: account, token_type: 'bearer' });
  const fresh = await refreshTokenGrant(config, tokens.refresh_token ?? '');
  expect(fresh.access_token).not.to.equal(tokens.access_token);
  const token = fresh.access_token;
  expect(await tokenIntrospection(config, token)).to.deep.include({
    active: true,
    scope: 'charges:read',
    client_id: clientId,
    sub: account,
    iss: issuer,
  });
  await tokenRevocation(config, fresh.refresh_token ?? '');
  expect(await tokenIntrospection(config, token)).to.deep.equal({ active: false });
}
