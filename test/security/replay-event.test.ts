import { expect } from 'chai';
import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { type AdminBelongings, type AdminSetup, adminSetup } from '../support/admin-setup.ts';
import { postJson, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { makeAccount, makeKey } from '../support/credentials.ts';
import { LiveBank } from '../support/live-bank.ts';
import { tableContents } from '../support/table-contents.ts';

describe('one event replayed to an endpoint', () => {
  let app: AdminApp;
  let setup: AdminSetup;
  let own: AdminBelongings;
  let key: string;
  /** Endpoints that are not there for the account in test. */
  let foreign: Readonly<Record<string, string>>;

  before(async () => {
    app = await startAdminApp({ paymount: { processors: { live: new LiveBank(fakeClock()) } } });
    setup = await adminSetup(app);
    own = await setup.belongings(app.account, 'test');
    key = (await makeKey(app.paymount, app.account)).secret;
    const other = await makeAccount(app.paymount, 'Another shop');
    await app.admin(`/endpoints/${own.endpointToDelete}`, { method: 'DELETE' });
    foreign = {
      'another account': (await setup.belongings(other, 'test')).endpoint,
      'the other environment': (await setup.belongings(app.account, 'live')).endpoint,
      'another account in the other environment': (await setup.belongings(other, 'live')).endpoint,
      'the account, but deleted': own.endpointToDelete,
      nobody: `${own.endpoint.slice(0, -4)}zzzz`,
      'no form of an id': 'we_1',
    };
    await app.worker.drain();
  });
  after(async () => {
    await setup.close();
    await app.close();
  });

  /** By the merchant, by an admin of everything, and by an admin of this account in test alone. */
  async function asked(endpoint: string): Promise<readonly Reply[]> {
    const path = `/events/${own.event}/replay`;
    const bounds = { accounts: [app.account], environments: ['test'] };
    return [
      await postJson(`${app.url}/v1${path}`, { endpoint }, { key }),
      await app.admin(path, { body: { endpoint } }),
      await app.admin(path, { body: { endpoint }, token: await app.token(['support'], bounds) }),
    ];
  }

  it('of another account gets 404 on both APIs, like an unknown one, and changes nothing', async () => {
    const before = await tableContents(app.databaseUrl);
    for (const [whose, endpoint] of Object.entries(foreign)) {
      for (const reply of await asked(endpoint)) {
        const { status, error } = reply;
        const { doc_url: _, request_id: __, ...said } = error;
        expect({ status, ...said }, `${MOUNT} ${whose}`).to.deep.equal({
          status: 404,
          type: 'invalid_request_error',
          code: 'resource_missing',
          message: `No such webhook endpoint: ${endpoint}`,
          param: 'endpoint',
        });
      }
    }
    expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
  });

  it('of its own is made by each of them, and shows the account to admins alone', async () => {
    const replies = await asked(own.endpoint);
    const accounts = replies.map(({ status, json, text }) => {
      expect(status, text).to.equal(200);
      const [delivery, ...more] = json['data'] as Record<string, unknown>[];
      expect(more).to.deep.equal([]);
      expect(delivery).to.include({ endpoint: own.endpoint, event: own.event, origin: 'replay' });
      return delivery?.['account'];
    });
    expect(accounts).to.deep.equal([undefined, app.account, app.account]);
  });
});
