import { expect } from 'chai';
import { ask } from '../support/ask.ts';
import { newBrowser } from '../support/browser.ts';
import { fakeClock } from '../support/clock.ts';
import { LiveBank } from '../support/live-bank.ts';
import {
  ISSUER,
  type OAuthSetup,
  pkce,
  REDIRECT_URI,
  startOAuthSetup,
} from '../support/oauth-setup.ts';
import { countRows } from '../support/row-count.ts';
import { authorizePath, sentTo } from './consent-setup.ts';

describe('/oauth/authorize', () => {
  let setup: OAuthSetup;

  before(async () => {
    setup = await startOAuthSetup();
  });
  after(() => setup.close());

  const get = (parameters: Record<string, string> | string) => {
    const isPath = typeof parameters === 'string';
    const path = isPath ? parameters : authorizePath(setup, parameters);
    return newBrowser(setup.url).open(path);
  };
  const interactions = async () => (await countRows(setup.databaseUrl))['interactions'];
  const raw = (query: string) =>
    get(`/oauth/authorize?client_id=${setup.platform.id}&state=x&${query}`);

  it('takes a registered redirect URI byte for byte, and answers others itself (O01; RFC 9700, 2.1)', async () => {
    for (const uri of [
      'https://ledger.example.com/callback/',
      'https://ledger.example.com/callback?x=1',
      'https://ledger.example.com/callback#x',
      'https://ledger.example.com/Callback',
      'https://LEDGER.example.com/callback',
      'https://ledger.example.com:443/callback',
      'https://ledger.example.com:8443/callback',
      'http://ledger.example.com/callback',
      'https://ledger.example.com/a/../callback',
      'https://ledger.example.com/callback/..%2f..',
      'https://ledger.example.com/%63allback',
      'https://ledger.example.com.evil.example/callback',
      'https://ledger.example.com@evil.example/callback',
      'https://evil.example/callback?https://ledger.example.com/callback',
      'https://evil.example\\@ledger.example.com/callback',
      'https://ledger.example.com/callback\n',
      ' https://ledger.example.com/callback',
      '//ledger.example.com/callback',
      '/callback',
      'javascript:alert(1)',
      'data:text/html,x',
      'http://127.0.0.1/callback',
    ]) {
      const { status, headers, text } = await get({ redirect_uri: uri });
      expect([status, headers.location], uri).to.deep.equal([400, undefined]);
      expect(text).to.include('named an address that it has not registered');
      expect(headers['set-cookie']).to.equal(undefined);
    }
  });

  it('answers an unknown, foreign or disabled platform itself (RFC 6749, 4.1.2.1)', async () => {
    const disabled = await setup.newPlatform();
    await setup.paymount.platforms.disable(disabled.id);
    for (const path of [
      authorizePath(setup, { client_id: disabled.id }),
      authorizePath(setup, { client_id: 'ca_unknown' }),
      authorizePath(setup, { client_id: '' }),
      '/oauth/authorize',
      `${authorizePath(setup)}&client_id=${setup.platform.id}`,
    ]) {
      const { status, headers, text } = await get(path);
      expect([status, headers.location], path).to.deep.equal([400, undefined]);
      expect(text).to.include('is unknown or disabled');
    }
    const { status } = await get(`${authorizePath(setup)}&redirect_uri=https://evil.example/`);
    expect(status).to.equal(400);
  });

  it('sends other errors to the platform, with the state and the issuer (O08; RFC 9207)', async () => {
    const before = await interactions();
    const { challenge } = pkce();
    const s256 = `code_challenge=${challenge}&code_challenge_method=S256`;
    for (const [query, error, description] of [
      ['response_type=token', 'unsupported_response_type', /response_type must be code/],
      ['scope=charges:read+everything', 'invalid_scope', /scope/],
      ['scope=charges:read+charges:read', 'invalid_scope', /scope/],
      ['scope=customers:read', 'invalid_scope', /scope/],
      ['scope=charges:read%0d%0aX:1', 'invalid_scope', /scope/],
      [
        'scope=charges:read&scope=charges:write',
        'invalid_request',
        /scope was sent more than once/,
      ],
      ['resource=https://other.example', 'invalid_target', /resource must be/],
      [`code_challenge=${challenge}`, 'invalid_request', /must be S256/],
      [
        `code_challenge=${challenge}&code_challenge_method=plain`,
        'invalid_request',
        /must be S256/,
      ],
      ['code_challenge=short&code_challenge_method=S256', 'invalid_request', /43 base64url/],
      ['code_challenge_method=S256', 'invalid_request', /43 base64url/],
      [`${s256}&code_challenge=${challenge}`, 'invalid_request', /more than once/],
    ] as const) {
      const sent = sentTo(await raw(query), REDIRECT_URI);
      expect([sent.get('error'), sent.get('state'), sent.get('iss')], query).to.deep.equal([
        error,
        'x',
        ISSUER,
      ]);
      expect(sent.get('error_description'), query).to.match(description);
    }
    expect(await interactions()).to.equal(before);
  });

  it('requires a state, unless the request uses PKCE (O10; RFC 9700, 2.1)', async () => {
    const bare = `/oauth/authorize?client_id=${setup.platform.id}`;
    const { challenge } = pkce();
    const none = sentTo(await get(bare), REDIRECT_URI);
    expect([none.get('error'), none.get('state')]).to.deep.equal(['invalid_request', null]);
    const { status, headers } = await get(
      `${bare}&code_challenge=${challenge}&code_challenge_method=S256`,
    );
    expect(status).to.equal(303);
    expect(headers.location).to.match(/^\/oauth\/interactions\//);
    for (const state of ['x'.repeat(1_025), 'caf%C3%A9', '%00', '%0a']) {
      const sent = sentTo(await get(`${bare}&state=${state}`), REDIRECT_URI);
      expect([sent.get('error'), sent.get('state')], state).to.deep.equal([
        'invalid_request',
        null,
      ]);
    }
    const twice = sentTo(await get(`${bare}&state=a&state=b`), REDIRECT_URI);
    expect([twice.get('error'), twice.get('state')]).to.deep.equal(['invalid_request', null]);
  });

  it('refuses a state with a card number in live, and does not repeat it', async () => {
    const card = ['4242', '4242', '4242', '4242'].join('');
    const live = await startOAuthSetup({
      environment: 'live',
      paymount: { processors: { live: new LiveBank(fakeClock()) } },
    });
    try {
      for (const state of [`order-${card}`, encodeURIComponent(card.replace('4242', '4242 '))]) {
        const reply = await newBrowser(live.url).open(authorizePath(live, { state }));
        const sent = sentTo(reply, REDIRECT_URI);
        expect([sent.get('error'), sent.get('state')]).to.deep.equal(['invalid_request', null]);
        expect(sent.get('error_description')).to.match(/^state holds a card number(?!.*4242)/);
      }
      expect((await countRows(live.databaseUrl))['interactions']).to.equal(0);
    } finally {
      await live.close();
    }
    expect((await get({ state: `order-${card}` })).headers.location).to.include('/interactions/');
  });

  it('requires PKCE of a public platform, and of one that must use it (O05; RFC 9700, 2.1.1)', async () => {
    const app = await setup.newPlatform({
      type: 'public',
      redirect_uris: ['http://127.0.0.1/callback', 'com.example.app:/callback'],
    });
    const own = { client_id: app.id, redirect_uri: 'com.example.app:/callback' };
    const sent = sentTo(await get(own), 'com.example.app:/callback');
    expect(sent.get('error_description')).to.match(/code_challenge is required/);
    const { challenge } = pkce();
    const s256 = { code_challenge: challenge, code_challenge_method: 'S256' };
    const anyPort = { ...own, ...s256, redirect_uri: 'http://127.0.0.1:51234/callback' };
    expect((await get(anyPort)).status).to.equal(303);
    const other = { ...anyPort, redirect_uri: 'http://127.0.0.1:51234/other' };
    expect((await get(other)).status).to.equal(400);
    const strict = await setup.newPlatform({ require_pkce: true });
    expect(sentTo(await get({ client_id: strict.id }), REDIRECT_URI).get('error')).to.equal(
      'invalid_request',
    );
  });

  it('takes thousands of parameters, and a long language, in a moment', async () => {
    const request = { key: '', headers: { 'accept-language': `a${'-'.repeat(14_000)}` } };
    const many = `${setup.url}/oauth/authorize?${'a&'.repeat(6_000)}`;
    const none = `${setup.url}/oauth/authorize`;
    const startedMs = performance.now();
    for (let count = 0; count < 20; count += 1) {
      for (const reply of [await ask(many, { key: '' }), await ask(none, request)]) {
        expect(reply.status).to.equal(400);
      }
    }
    // Time of a square for each would be over 10 s.
    expect(performance.now() - startedMs).to.be.below(5_000);
  });

  it('ignores parameters that it does not know, and takes GET only', async () => {
    expect((await raw('prompt=consent&stripe_landing=login&nonce=1&nonce=2')).status).to.equal(303);
    const posted = await newBrowser(setup.url).submit(authorizePath(setup), { a: 'b' });
    const { allow, 'content-type': type } = posted.headers;
    expect([posted.status, allow, type]).to.deep.equal([405, 'GET', 'text/html; charset=utf-8']);
  });

  it('sets one cookie that belongs to this browser alone (RFC 6265bis, 4.1.3.2)', async () => {
    const browser = newBrowser(setup.url);
    const first = await browser.open(authorizePath(setup));
    expect(first.headers['set-cookie']).to.have.length(1);
    const [cookie = ''] = first.headers['set-cookie'] ?? [];
    expect(cookie).to.match(
      /^__Host-pm_oauth=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
    );
    const second = await browser.open(authorizePath(setup));
    expect(second.headers['set-cookie']).to.deep.equal([cookie]);
    const other = await newBrowser(setup.url).open(authorizePath(setup));
    expect(other.headers['set-cookie']).not.to.deep.equal([cookie]);
  });
});
