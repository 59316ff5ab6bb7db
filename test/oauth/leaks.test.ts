import { expect } from 'chai';
import { ask } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type OAuthSetup, startOAuthSetup } from '../support/oauth-setup.ts';

const PLACE = 'https://gist.example.com/1';

describe('a leaked credential of OAuth', () => {
  let setup: OAuthSetup;

  before(async () => {
    setup = await startOAuthSetup();
  });
  after(() => setup.close());

  const report = async (credential: unknown) =>
    (
      await setup.paymount.leaks.report([
        { credential: String(credential), source: 'scan', url: PLACE },
      ])
    )[0];
  const codeOf = async (token: unknown) =>
    (await ask(`${setup.url}/v1/charges`, { key: String(token) })).error['code'];
  const mailsAbout = (subject: string) =>
    query<{ to_address: string; text: string }>(
      setup.databaseUrl,
      'SELECT to_address, text FROM paymount.mails WHERE subject LIKE $1 ORDER BY to_address',
      [subject],
    );

  it('ends the grant, whether it is an access token, a refresh token or a code', async () => {
    for (const name of ['access_token', 'refresh_token'] as const) {
      const tokens = await setup.connect();
      const leaked = String(tokens[name]);
      expect(await report(`TOKEN="${leaked}"`)).to.deep.equal({ matched: true, action: 'revoked' });
      const refusal = () => codeOf(tokens['access_token']);
      expect(await eventually(refusal, Boolean, 500)).to.equal('token_revoked');
      expect(await report(leaked)).to.deep.equal({ matched: true, action: 'already_revoked' });
    }
    const code = await setup.approve();
    expect(await report(code)).to.deep.equal({ matched: true, action: 'revoked' });
    const late = await setup.post('token', { grant_type: 'authorization_code', code });
    expect(late.json['error']).to.equal('invalid_grant');
    const [entry] = await query(
      setup.databaseUrl,
      `SELECT actor_type, after->>'revoked_reason' AS reason FROM paymount.audit_log
       WHERE action = 'grant.revoke' ORDER BY seq DESC LIMIT 1`,
    );
    expect(entry).to.deep.equal({ actor_type: 'host', reason: 'leak' });
    const mails = await mailsAbout('The test access of Ledger app to % was revoked');
    expect(mails.filter(({ to_address: to }) => to === 'ops@ledger.example.com')).to.have.lengthOf(
      3,
    );
    expect(mails[0]?.text).to.include(`${PLACE} (scan)`);
    expect(JSON.stringify(mails)).not.to.match(/o(?:at|rt|ac)_pm[0-9A-Za-z]{38}/);
  });

  it('is in the list of leaks, once for each place, with what was done', async () => {
    const { refresh_token: token } = await setup.connect({ scopes: ['payouts:read'] });
    const [grant] = await query<{ id: string }>(
      setup.databaseUrl,
      'SELECT id FROM paymount.grants ORDER BY id DESC LIMIT 1',
    );
    for (const url of [PLACE, PLACE, `${PLACE}/fork`]) {
      await setup.paymount.leaks.report([{ credential: String(token), source: 'scan', url }]);
    }
    const leaks = await query(
      setup.databaseUrl,
      `SELECT url, action, redacted, status FROM paymount.leaks WHERE grant_id = '${grant?.id}'
        ORDER BY id`,
    );
    const redacted = `ort_pm...${String(token).slice(-4)}`;
    expect(leaks).to.deep.equal([
      { url: PLACE, action: 'revoked', redacted, status: 'open' },
      { url: `${PLACE}/fork`, action: 'already_revoked', redacted, status: 'open' },
    ]);
    const reports = await query(
      setup.databaseUrl,
      `SELECT after->>'credential' AS credential FROM paymount.audit_log
        WHERE action = 'leak.report' AND after->>'credential' = '${grant?.id}'`,
    );
    expect(reports).to.have.length(2);
  });

  it('is revoked if it is a client secret, and tokens of the platform go on', async () => {
    const platform = await setup.newPlatform();
    const tokens = await setup.connect({ platform });
    const secret = platform.client_secret ?? '';
    expect(await report(secret)).to.deep.equal({ matched: true, action: 'revoked' });
    expect(await report(secret)).to.deep.equal({ matched: true, action: 'already_revoked' });
    const client = { client_id: platform.id, client_secret: secret };
    const refused = await setup.post('introspect', { ...client, token: 'x' });
    expect([refused.status, refused.json['error']]).to.deep.equal([401, 'invalid_client']);
    expect(await codeOf(tokens['access_token'])).to.equal(undefined);
    expect(
      await mailsAbout('A test client secret of Ledger app leaked and was revoked'),
    ).to.have.lengthOf(1);
  });

  it('is unknown if nobody was ever given it', async () => {
    const unknown = `oat_pm${'0'.repeat(32)}`;
    expect(await report(`${unknown}000000`)).to.deep.equal({ matched: false, action: 'none' });
  });

  it('ends its grant too if it has expired, because its refresh token has not', async () => {
    const { access_token: token, refresh_token: refresh } = await setup.connect();
    setup.clock.advance(3_601_000);
    expect(await report(token)).to.deep.equal({ matched: true, action: 'revoked' });
    expect(await report(token)).to.deep.equal({ matched: true, action: 'already_revoked' });
    const again = await setup.post('token', {
      grant_type: 'refresh_token',
      refresh_token: String(refresh),
    });
    expect([again.status, again.json['error']]).to.deep.equal([400, 'invalid_grant']);
  });

  it('is revoked once if two reports name a client secret at the same time', async () => {
    const platform = await setup.newPlatform();
    const secret = platform.client_secret ?? '';
    const verdicts = await Promise.all(Array.from({ length: 8 }, () => report(secret)));
    expect(verdicts.every((verdict) => verdict?.matched === true)).to.equal(true);
    const audit = await query(
      setup.databaseUrl,
      `SELECT action FROM paymount.audit_log
        WHERE action = 'platform.revoke_secret' AND target = '${platform.id}'`,
    );
    expect(audit).to.have.lengthOf(1);
  });
});
