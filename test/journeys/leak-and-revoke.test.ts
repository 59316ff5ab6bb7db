import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type GithubSigner, startGithubSigner } from '../support/github-signer.ts';
import { type OpenShop, OWNER, openShop } from '../support/open-shop.ts';
import { type SmtpInbox, startSmtpInbox } from '../support/smtp-inbox.ts';
import { type Clerk, codeIn, hireClerk } from './clerk.ts';

const PLACE = 'https://github.com/tea-shop/site/blob/main/.env';
/** The specification's limit for a revocation to hold everywhere. */
const REVOCATION_LIMIT_MS = 1_000;

describe('a key that leaked at a shop that mounts Paymount', function () {
  this.timeout(20_000);
  let shop: OpenShop;
  let inbox: SmtpInbox;
  let github: GithubSigner;
  let admin: Clerk;
  let key: string;
  let feedback: { token_raw: string; label: string }[];
  let refusedAfterMs: number;

  const ask = (secret: string): Promise<Response> =>
    fetch(`${shop.url}/payments/test/v1/charges`, {
      headers: { authorization: `Bearer ${secret}` },
    });

  const report = (tokens: readonly string[]): Promise<Response> => {
    const matches = tokens.map((token) => ({ token, type: 'paymount_credential', url: PLACE }));
    const body = JSON.stringify(matches);
    const headers = github.headersFor(body);
    return fetch(`${shop.url}/payments/leaks/github`, { method: 'POST', headers, body });
  };

  before(async () => {
    inbox = await startSmtpInbox();
    github = await startGithubSigner();
    shop = await openShop({ smtpUrl: inbox.url, githubKeysUrl: github.keysUrl });
    admin = await hireClerk(shop, 'admin');
    key = await shop.key('test', 'secret');
    expect((await ask(key)).status).to.equal(200);
    const answer = await report([key, `${key.slice(0, -1)}-`]);
    const reportedMs = performance.now();
    expect(answer.status).to.equal(200);
    feedback = (await answer.json()) as typeof feedback;
    await eventually(async () => (await ask(key)).status === 401);
    refusedAfterMs = performance.now() - reportedMs;
  });

  after(async () => {
    await shop?.close();
    await github?.close();
    await inbox?.close();
  });

  it('is distinguished from a text that is not a key in the response to GitHub', () => {
    expect(feedback.map(({ label }) => label)).to.deep.equal(['true_positive', 'false_positive']);
    expect(feedback[0]?.token_raw === key).to.equal(true);
  });

  it('is refused from then on, while other keys go on working', async () => {
    expect(refusedAfterMs).to.be.lessThan(REVOCATION_LIMIT_MS);
    const refused = await ask(key);
    const body = (await refused.json()) as Record<string, unknown>;
    expect([refused.status, codeIn(body)]).to.deep.equal([401, 'api_key_revoked']);
    expect((await ask(await shop.key('test', 'secret'))).status).to.equal(200);
  });

  it('is reported to its owner in one e-mail, which names it and does not hold it', async () => {
    await report([key]);
    await shop.worker.drain();
    await eventually(async () => inbox.mails.length > 0);
    const [mail, ...others] = inbox.mails;
    expect(others).to.have.length(0);
    expect(mail?.to).to.deep.equal([OWNER]);
    expect(mail?.from).to.equal('payments@tea-shop.example');
    const text = mail?.email.text ?? '';
    expect(text).to.include(`${key.slice(0, 10)}...${key.slice(-4)}`);
    expect(text).to.include(PLACE);
    expect(mail?.raw.includes(key)).to.equal(false);
  });

  it('is followed by new signing secrets, and for a day receivers verify with either', async () => {
    const { body: leaks } = await admin.ask('/leaks');
    const [leak] = leaks['data'] as { id: string; source: string; action: string }[];
    expect(leak).to.include({ source: 'github', action: 'revoked' });
    const { body: shown } = await admin.ask(`/leaks/${leak?.id}`);
    expect(shown['endpoints_to_rotate']).to.have.length(1);
    const { status, body } = await admin.ask(`/leaks/${leak?.id}/rotate_signing_secrets`, {});
    expect(status).to.equal(200);
    const [endpoint] = body['data'] as { id: string; secret: string }[];
    expect(shown['endpoints_to_rotate']).to.deep.equal([endpoint?.id]);
    expect(endpoint?.secret === shop.webhookSecret).to.equal(false);

    await expectDelivered();
    shop.redeploy([endpoint?.secret ?? '']);
    await expectDelivered();
    const { body: after } = await admin.ask(`/leaks/${leak?.id}`);
    expect(after['endpoints_to_rotate']).to.deep.equal([]);
  });

  it('leaves in the audit log who reported it, and who rotated the secrets', async () => {
    const { body } = await admin.ask('/audit?limit=100');
    const entries = body['data'] as { action: string; actor: { type: string; id: string } }[];
    const actors = (action: string): unknown[] =>
      entries.flatMap((entry) => (entry.action === action ? [entry.actor] : []));
    expect(actors('leak.report')).to.deep.equal([{ type: 'system', id: 'github' }]);
    expect(actors('key.revoke')).to.deep.equal([{ type: 'system', id: 'github' }]);
    expect(actors('leak.rotate_signing_secrets')).to.deep.equal([{ type: 'admin', id: admin.id }]);
  });

  /** The shop stores the event of a new order, as its receiver takes the signature for good. */
  async function expectDelivered(): Promise<void> {
    const { charge } = await shop.order('pm_card_visa');
    await eventually(() =>
      shop
        .database('shop.received_events')
        .where({ type: 'charge.succeeded' })
        .whereRaw("body #>> '{data,object,id}' = ?", [charge])
        .first(),
    );
  }
});
