import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { tableContents } from '../support/table-contents.ts';

const HOOK = { url: 'https://127.0.0.1:8443/hook', enabled_events: ['*'] } as const;

describe('a replay to the endpoint of somebody else', () => {
  let app: AdminApp;
  let foreign: Readonly<Record<string, string>>;
  let own: string;

  before(async () => {
    app = await startAdminApp();
    const { webhookEndpoints } = app.paymount;
    const make = async (account: AdminApp['account'], environment: 'live' | 'test') =>
      (await webhookEndpoints.create({ account, environment }, HOOK)).id;
    own = await make(app.account, 'test');
    const deleted = await make(app.account, 'test');
    await webhookEndpoints.delete(app.acting, deleted);
    foreign = {
      'another account': await make(await app.newAccount(), 'test'),
      'the other environment': await make(app.account, 'live'),
      'nobody any more': deleted,
      nobody: newId('we'),
      'another kind': newId('evt'),
    };
    // Workers apply the status of an endpoint after its deletion.
    await app.worker.drain();
  });
  after(() => app.close());

  it('gets the same error as an unknown endpoint, and changes nothing', async () => {
    const before = await tableContents(app.databaseUrl);
    for (const [whose, id] of Object.entries(foreign)) {
      for (const [param, ids] of [
        ['to', { to: id }],
        ['endpoint', { endpoint: id }],
        ['to', { endpoint: own, to: id }],
        ['endpoint', { endpoint: id, to: own }],
      ] as const) {
        const body = { account: app.account, livemode: false, ...ids };
        // Also of an admin who may see the endpoint: the account of the replay has none such.
        const { status, error } = await app.admin('/replays', { body });
        expect([status, error['code'], error['param']], `${param} of ${whose}`).to.deep.equal([
          404,
          'resource_missing',
          param,
        ]);
        expect(error['message']).to.equal(`No such webhook endpoint: ${id}`);
      }
    }
    expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
  });
});
