import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  type AccountSetup,
  type AccountSetups,
  openAccountSetups,
} from '../support/account-setup.ts';
import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { ask, postForm, postJson, type Reply } from '../support/ask.ts';
import { connectTwo } from '../support/connect-platform.ts';
import { makeAccount, makeKey } from '../support/credentials.ts';
import { type Belongings, makeBelongings } from '../support/owned-objects.ts';
import { type ManagementRoute, pathTo } from '../support/route-row.ts';
import { MANAGEMENT_ROUTES, V1_ROUTES } from '../support/route-table.ts';
import { secretsIn } from '../support/secrets.ts';
import { seek } from './canary.ts';

/** Who made a secret reads it in that answer; afterwards nobody reads it, or what proves it. */
describe('a secret that was shown', () => {
  let app: AdminApp;
  let setups: AccountSetups;
  let setup: AccountSetup;
  const shown = new Map<string, string>();
  const idempotencyKey = randomUUID();
  const hook = { enabled_events: ['*'], url: '' };

  before(async function () {
    this.timeout(30_000);
    app = await startAdminApp();
    setups = await openAccountSetups(app);
    setup = await setups.setup(app.account);
    hook.url = setups.receiver.url;
  });
  after(async () => {
    await setups.receiver.close();
    await app.close();
  });

  /** Remembers the secret of an answer, and that it is in it once. */
  function keepSecret(name: string, { json, text, status }: Reply): void {
    expect(status, text).to.equal(200);
    const secret = String(json['secret'] ?? json['client_secret']);
    expect(secret).to.match(/^(?:whsec_[0-9A-Za-z+/]{43}=|(?:sk_test|ocs)_[0-9A-Za-z]{40})$/);
    expect(text.split(secret)).to.have.lengthOf(2);
    shown.set(name, secret);
    // Whoever reads the hash could look for it elsewhere.
    shown.set(`${name}, hashed`, createHash('sha256').update(secret).digest('hex'));
  }

  function expectNone(text: string): void {
    expect(seek(text, shown)).to.deep.equal([]);
    // Whatever else has the form of a secret is one, too.
    expect(secretsIn(text)).to.deep.equal([]);
  }

  /** Every answer but those that show a new secret. */
  async function expectNoneIn(reply: Promise<Reply>): Promise<Reply> {
    const answer = await reply;
    expectNone(JSON.stringify(answer.headers) + answer.text);
    return answer;
  }

  const v1 = (path: string, form = ''): Promise<Reply> =>
    postForm(app.url + path, form, { key: app.secretKey });

  it('is in the answer that made it, or made its successor', async () => {
    const headers = { 'idempotency-key': idempotencyKey };
    const options = { key: app.secretKey, headers };
    const made = await postJson(`${app.url}/v1/webhook_endpoints`, hook, options);
    keepSecret('signing secret', made);
    const endpoint = `/v1/webhook_endpoints/${String(made.json['id'])}`;
    keepSecret('rotated signing secret', await v1(`${endpoint}/rotate_secret`));
    const owner = { account: app.account, livemode: false };
    const byAdmin = await app.admin('/endpoints', { body: { ...owner, ...hook } });
    keepSecret('signing secret that an admin made', byAdmin);
    const rotated = await app.admin(`/endpoints/${String(byAdmin.json['id'])}/rotate_secret`, {
      body: {},
    });
    keepSecret('signing secret that an admin rotated', rotated);
    const key = await app.admin('/keys', { body: { ...owner, type: 'secret', name: 'a' } });
    keepSecret('key', key);
    const successor = await app.admin(`/keys/${String(key.json['id'])}/rotate`, { body: {} });
    keepSecret('rotated key', successor);
    const registered = {
      livemode: false,
      name: 'An app',
      scopes: ['charges:read'],
      contact_email: 'app@example.com',
      redirect_uris: ['https://app.example.com/callback'],
    };
    const platform = await app.admin('/platforms', { body: registered });
    keepSecret('client secret', platform);
    const platformPath = `/platforms/${String(platform.json['id'])}`;
    const second = await app.admin(`${platformPath}/create_secret`, { body: {} });
    keepSecret('second client secret', second);
    expect(shown.size).to.equal(16);
    await expectNoneIn(app.admin(platformPath, { body: { name: 'c' } }));
    await expectNoneIn(app.admin(platformPath));
    await expectNoneIn(v1(endpoint, 'description=changed'));
    await expectNoneIn(
      app.admin(`/endpoints/${String(byAdmin.json['id'])}`, { body: { disabled: false } }),
    );
    await expectNoneIn(app.admin(`/keys/${String(successor.json['id'])}`, { body: { name: 'b' } }));
    await expectNoneIn(ask(app.url + endpoint, { key: app.secretKey }));
    await expectNoneIn(app.admin(`/keys/${String(key.json['id'])}`));
  });

  it('is in nothing that is delivered', async () => {
    await v1('/v1/charges', 'amount=100&currency=eur&source=tok_visa');
    await app.worker.drain();
    const { requests } = setups.receiver;
    expect(requests.length).to.be.at.least(3);
    for (const { headers, body } of requests) {
      expectNone(JSON.stringify(headers) + body.toString());
    }
  });

  it('is replayed only to its account, for the very request that made it', async () => {
    const url = `${app.url}/v1/webhook_endpoints`;
    const headers = { 'idempotency-key': idempotencyKey };
    const again = await postJson(url, hook, { key: app.secretKey, headers });
    expect(again.headers['idempotent-replayed']).to.equal('true');
    expect(again.json['secret']).to.equal(shown.get('signing secret'));

    const { paymount, account } = app;
    const weak = await makeKey(paymount, account, { type: 'restricted', scopes: ['charges:read'] });
    await expectNoneIn(postJson(url, hook, { key: weak.secret, headers }));
    const stranger = await makeKey(paymount, await makeAccount(paymount, 'Another shop'));
    const own = await postJson(url, hook, { key: stranger.secret, headers });
    expect(own.headers['idempotent-replayed']).to.equal(undefined);
    expect([...shown.values()]).to.not.include(own.json['secret']);
    await expectNoneIn(postJson(url, hook, { key: app.publishableKey, headers }));
    const changed = { ...hook, description: 'x' };
    await expectNoneIn(postJson(url, changed, { key: app.secretKey, headers }));
  });

  describe('is in no answer to a read of anything, by a key or by an admin', () => {
    let own: Belongings;
    before(async () => {
      const { id: spareKey } = await makeKey(app.paymount, app.account);
      const applications = await connectTwo(app.paymount, app.account);
      const { url, secretKey: key } = app;
      own = await makeBelongings({ url, key, spareKey, app, applications });
    });

    for (const route of V1_ROUTES.filter(({ method }) => method === 'GET')) {
      it(`${route.name}, by a key`, async () => {
        const url = app.url + pathTo(route, own);
        const reply = await expectNoneIn(ask(url, { key: app.secretKey }));
        expect(reply.status, reply.text).to.equal(200);
      });
    }

    // The export is no JSON object, and is read below.
    const isRead = ({ name, method }: ManagementRoute): boolean =>
      method === 'GET' && !name.endsWith('/export');
    for (const { name, pattern } of MANAGEMENT_ROUTES.filter(isRead)) {
      it(`${name}, by an admin`, async () => {
        const id = setup.ids[pattern.split('/')[1] ?? ''] ?? '';
        const reply = await expectNoneIn(app.admin(pattern.replace('{id}', id)));
        expect(reply.status, reply.text).to.equal(200);
      });
    }

    it('GET /audit/export, by an admin', async () => {
      const headers = { authorization: `Bearer ${await app.token(['admin'])}` };
      const exported = await fetch(`${app.url}${MOUNT}/audit/export`, { headers });
      const lines = await exported.text();
      expect(lines).to.include('endpoint.rotate_secret');
      expectNone(lines);
    });
  });
});
