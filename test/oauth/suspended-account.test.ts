import { expect } from 'chai';
import type { Reply } from '../support/ask.ts';
import { type OAuthSetup, startOAuthSetup } from '../support/oauth-setup.ts';
import { countRows } from '../support/row-count.ts';
import { atConsent, ownAccount } from './consent-setup.ts';

const summary = ({ status, json }: Reply): unknown[] => [status, json['error']];
const INVALID_GRANT = [400, 'invalid_grant'];

describe('OAuth for a suspended account', () => {
  let setup: OAuthSetup;
  before(async () => {
    setup = await startOAuthSetup();
  });
  after(() => setup.close());
  afterEach(() => setup.paymount.accounts.resume(setup.account));

  const suspend = () => setup.paymount.accounts.suspend(setup.account);
  const exchange = (code: string): Promise<Reply> =>
    setup.post('token', { grant_type: 'authorization_code', code });
  const refresh = (token: unknown): Promise<Reply> =>
    setup.post('token', { grant_type: 'refresh_token', refresh_token: String(token) });

  it('approves nothing, says why, and leaves the question open', async () => {
    const consent = await atConsent(setup);
    await suspend();
    const { grants } = await countRows(setup.databaseUrl);
    const refused = await consent.answer();
    expect([refused.status, refused.headers.location]).to.deep.equal([403, undefined]);
    expect(refused.text).to.include('This account is suspended.');
    expect((await countRows(setup.databaseUrl))['grants']).to.equal(grants);
    await setup.paymount.accounts.resume(setup.account);
    expect((await consent.answer()).status).to.equal(303);
  });

  it('can still refuse a platform', async () => {
    const { answer } = await atConsent(setup, {}, { accounts: [ownAccount(setup)] });
    await suspend();
    expect((await answer({ decision: 'deny' })).status).to.equal(303);
  });

  it('exchanges no code and refreshes no token, and goes on once it is active again', async () => {
    const pair = await setup.connect();
    const code = await setup.approve();
    await suspend();
    expect(summary(await exchange(code))).to.deep.equal(INVALID_GRANT);
    const refused = await refresh(pair['refresh_token']);
    expect(summary(refused)).to.deep.equal(INVALID_GRANT);
    expect(refused.json['error_description']).to.include('suspended');
    for (const token of [pair['access_token'], pair['refresh_token']]) {
      const { json } = await setup.post('introspect', { token: String(token) });
      expect(json).to.deep.equal({ active: false });
    }
    await setup.paymount.accounts.resume(setup.account);
    expect((await exchange(code)).status).to.equal(200);
    const next = await refresh(pair['refresh_token']);
    expect(next.status, next.text).to.equal(200);
  });

  it('gets the pair of a repeated refresh only while it is active', async () => {
    const pair = await setup.connect();
    const first = await refresh(pair['refresh_token']);
    expect(first.status).to.equal(200);
    await suspend();
    expect(summary(await refresh(pair['refresh_token']))).to.deep.equal(INVALID_GRANT);
    await setup.paymount.accounts.resume(setup.account);
    const again = await refresh(pair['refresh_token']);
    expect(again.json['access_token']).to.equal(first.json['access_token']);
  });

  it('lets a platform give up its tokens', async () => {
    const pair = await setup.connect();
    await suspend();
    const token = String(pair['refresh_token']);
    expect((await setup.post('revoke', { token })).status).to.equal(200);
    await setup.paymount.accounts.resume(setup.account);
    expect(summary(await refresh(token))).to.deep.equal(INVALID_GRANT);
  });
});
