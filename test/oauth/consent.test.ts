import { expect } from 'chai';
import { newBrowser } from '../support/browser.ts';
import { query } from '../support/database.ts';
import { keptLog } from '../support/kept-log.ts';
import {
  ISSUER,
  type OAuthSetup,
  pkce,
  REDIRECT_URI,
  startOAuthSetup,
} from '../support/oauth-setup.ts';
import { atConsent, authorizePath, hiddenFields, ownAccount, sentTo } from './consent-setup.ts';

describe('The page on which a merchant approves a platform', () => {
  const logger = keptLog();
  let setup: OAuthSetup;

  before(async () => {
    setup = await startOAuthSetup({ paymount: { logger } });
  });
  after(() => setup.close());

  it('follows the login, and leads back to the platform with a code (RFC 6749, 4.1)', async () => {
    const browser = newBrowser(setup.url);
    const { verifier, challenge } = pkce();
    const asked = { code_challenge: challenge, code_challenge_method: 'S256' };
    const started = await browser.open(authorizePath(setup, { scope: 'charges:read', ...asked }));
    expect(started.status).to.equal(303);
    const path = String(started.headers.location);
    expect(path).to.match(/^\/oauth\/interactions\/int_[0-9a-z]{26}$/);
    const login = await browser.open(path);
    expect([login.status, login.headers.location]).to.deep.equal([
      303,
      `/login?returnTo=${encodeURIComponent(path)}`,
    ]);
    expect(setup.login.visits).to.deep.equal([{ returnTo: path, hint: { reason: 'login' } }]);
    browser.keep(setup.login.logIn({ accounts: [ownAccount(setup)] }));
    const page = await browser.open(path);
    expect(page.status, page.text).to.equal(200);
    for (const shown of [
      '<html lang="en">',
      'Ledger app wants access to your account',
      'You are logged in as Ada Merchant.',
      'Test mode: no real money moves.',
      'You will return to ledger.example.com.',
      '<strong>Test shop</strong>',
      'See charges and refunds',
    ]) {
      expect(page.text).to.include(shown);
    }
    const fields = { ...hiddenFields(page.text), scope: ['charges:read'] };
    const answer = await browser.submit(path, { ...fields, decision: 'approve' });
    const sent = sentTo(answer, REDIRECT_URI);
    expect([...sent.keys()]).to.deep.equal(['code', 'state', 'iss']);
    expect([sent.get('state'), sent.get('iss')]).to.deep.equal(['a state', ISSUER]);
    const exchange = { code: sent.get('code') ?? '', code_verifier: verifier };
    const tokens = await setup.post('token', {
      grant_type: 'authorization_code',
      redirect_uri: REDIRECT_URI,
      ...exchange,
    });
    expect(tokens.status, tokens.text).to.equal(200);
    expect(tokens.json).to.include({ scope: 'charges:read', merchant_id: setup.account });
    const [entry] = await query(
      setup.databaseUrl,
      "SELECT actor_type, actor_id, via, ip FROM paymount.audit_log WHERE action = 'grant.create'",
    );
    const actor = { actor_type: 'user', actor_id: 'user-1' };
    expect(entry).to.deep.equal({ ...actor, via: 'session', ip: '127.0.0.1' });
  });

  it('lets a merchant allow less, and marks what moves money', async () => {
    const { page, answer } = await atConsent(setup);
    const boxes = [...page.text.matchAll(/name="scope" value="([^"]+)" checked/g)];
    expect(boxes.map(([, scope]) => scope)).to.deep.equal([
      'charges:read',
      'charges:write',
      'payouts:read',
    ]);
    expect([...page.text.matchAll(/\(moves money\)/g)]).to.have.length(1);
    const code = sentTo(
      await answer({ decision: 'approve', scope: ['charges:read', 'payouts:read'] }),
      REDIRECT_URI,
    ).get('code');
    const tokens = await setup.post('token', {
      grant_type: 'authorization_code',
      redirect_uri: REDIRECT_URI,
      code: code ?? '',
    });
    expect(tokens.json['scope']).to.equal('charges:read payouts:read');
  });

  it('asks again if no permission is left, and ignores those that were not asked for (O14; RFC 6749, 3.3)', async () => {
    const { answer } = await atConsent(setup, { scope: 'charges:read' });
    const again = await answer({ decision: 'approve' });
    expect(again.status).to.equal(400);
    expect(again.text).to.include('role="alert">Choose at least one permission.');
    const wider = { decision: 'approve', scope: ['webhooks:write', 'charges:write'] };
    expect((await answer(wider)).status).to.equal(400);
  });

  it('tells the platform that the merchant refused (RFC 6749, 4.1.2.1)', async () => {
    const { answer } = await atConsent(setup);
    const sent = sentTo(await answer({ decision: 'deny' }), REDIRECT_URI);
    expect(Object.fromEntries(sent)).to.deep.equal({
      error: 'access_denied',
      state: 'a state',
      iss: ISSUER,
    });
  });

  it('lets a merchant of several accounts choose, and only among their own (O15; RFC 6749, 10.3)', async () => {
    const other = await setup.paymount.accounts.create({
      name: 'Second shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const foreign = await setup.paymount.accounts.create({
      name: 'Foreign shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const accounts = [
      ownAccount(setup),
      { id: other.id, name: 'Second <shop>', role: 'owner' as const },
      { id: foreign.id, name: 'Foreign shop', role: 'developer' as const },
    ];
    const { page, answer } = await atConsent(setup, {}, { accounts });
    expect(page.text).to.include(`<option value="${other.id}">Second &lt;shop&gt;</option>`);
    expect(page.text).not.to.include('Foreign shop');
    const yes = { decision: 'approve', scope: ['charges:read'] };
    expect((await answer(yes)).text).to.include('role="alert">Choose an account');
    expect((await answer({ ...yes, account: foreign.id })).status).to.equal(403);
    const code = sentTo(await answer({ ...yes, account: other.id }), REDIRECT_URI).get('code');
    const tokens = await setup.post('token', {
      grant_type: 'authorization_code',
      redirect_uri: REDIRECT_URI,
      code: code ?? '',
    });
    expect(tokens.json['merchant_id']).to.equal(other.id);
  });

  it('can only be refused by a merchant without an account', async () => {
    const { page, answer } = await atConsent(setup, {}, { accounts: [] });
    expect(page.text).to.include('You may not decide this for any account.');
    expect(page.text).not.to.include('value="approve"');
    const forced = { decision: 'approve', scope: ['charges:read'], account: setup.account };
    expect((await answer(forced)).status).to.equal(403);
    expect(sentTo(await answer({ decision: 'deny' }), REDIRECT_URI).get('error')).to.equal(
      'access_denied',
    );
  });

  it('is in no frame, no cache and no referrer, and its form leads only to the platform (O11; RFC 9700, 4.2, 4.16)', async () => {
    const forwarding = await setup.newPlatform({
      redirect_uris: ['https://ledger.example.com/callback?tenant=1'],
      callback_origins: ['https://app.ledger.example.com'],
    });
    const { page, answer } = await atConsent(setup, {
      client_id: forwarding.id,
      redirect_uri: 'https://ledger.example.com/callback?tenant=1',
    });
    const { headers } = page;
    expect(headers['content-security-policy']).to.match(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; frame-ancestors 'none'; base-uri 'none'; form-action 'self' https:\/\/ledger\.example\.com https:\/\/app\.ledger\.example\.com$/,
    );
    expect(headers).to.include({
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-type': 'text/html; charset=utf-8',
    });
    expect(page.text).not.to.include('<script');
    const { location } = (await answer({ decision: 'deny' })).headers;
    expect(location).to.match(/^https:\/\/ledger\.example\.com\/callback\?tenant=1&error=/);
  });

  it('escapes what platforms and users are called', async () => {
    const rude = await setup.newPlatform({ name: '<img src=x onerror="alert(1)">' });
    const { page } = await atConsent(
      setup,
      { client_id: rude.id },
      { displayName: `<b>O'Neil & "Sons"</b>` },
    );
    expect(page.text).to.include('&lt;img src=x onerror=&quot;alert(1)&quot;&gt; wants access');
    expect(page.text).to.include('as &lt;b&gt;O&#39;Neil &amp; &quot;Sons&quot;&lt;/b&gt;.');
  });

  it('has one approval for each of two tabs', async () => {
    const browser = newBrowser(setup.url);
    browser.keep(setup.login.logIn({ accounts: [ownAccount(setup)] }));
    const paths = [];
    for (const state of ['one', 'two']) {
      paths.push(String((await browser.open(authorizePath(setup, { state }))).headers.location));
    }
    const states = [];
    for (const path of paths) {
      const fields = hiddenFields((await browser.open(path)).text);
      const yes = { ...fields, decision: 'approve', scope: ['charges:read'] };
      states.push(sentTo(await browser.submit(path, yes), REDIRECT_URI).get('state'));
    }
    expect(states).to.deep.equal(['one', 'two']);
  });

  it('leaves no code and no state in the log', async () => {
    const { answer } = await atConsent(setup, { state: 'a-state-of-its-own' });
    const code = sentTo(await answer(), REDIRECT_URI).get('code') ?? '';
    expect(code).to.match(/^oac_/);
    const log = logger.lines.map(({ text }) => text).join('\n');
    expect(log).to.include('/oauth/interactions/:id');
    expect(log).not.to.include(code);
    expect(log).not.to.include('a-state-of-its-own');
    expect(log).not.to.match(/int_[0-9a-z]{26}/);
  });
});
