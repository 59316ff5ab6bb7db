import type { AccountId } from '@paymount/core/kernel';
import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson } from '../support/ask.ts';
import { toAuditEntry } from '../support/audit-rows.ts';
import { makeKey } from '../support/credentials.ts';
import { eventually } from '../support/eventually.ts';

const HOOK = { url: 'https://127.0.0.1:8443/hook', enabled_events: ['*'] } as const;

describe('The audit log, of webhook endpoints', () => {
  let app: TestApp;
  let knex: Knex;

  before(async () => {
    app = await startApp();
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 4 } });
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });

  const entries = async (id: string) =>
    (await toAuditEntry(app.databaseUrl, id)).map((row) => [
      row.action,
      row['actor_type'],
      row['actor_id'],
      row['via'],
    ]);

  it('has an entry for each change by a key, of the endpoint and of its secret', async () => {
    const key = await makeKey(app.paymount, app.account);
    const send = (path: string, body: object) =>
      postJson(`${app.url}/v1/webhook_endpoints${path}`, body, { key: key.secret });
    const id = String((await send('', HOOK)).json['id']);
    await send(`/${id}`, { url: 'https://127.0.0.1:8443/elsewhere' });
    await send(`/${id}/rotate_secret`, {});
    await ask(`${app.url}/v1/webhook_endpoints/${id}`, { key: key.secret, method: 'DELETE' });
    const by = ['key', key.id, 'key'];
    expect(await entries(id)).to.deep.equal([
      ['endpoint.create', ...by],
      ['endpoint.update', ...by],
      ['endpoint.rotate_secret', ...by],
      ['endpoint.delete', ...by],
    ]);
    const [, update] = await toAuditEntry(app.databaseUrl, id);
    expect([update?.before?.['url'], update?.after?.['url']]).to.deep.equal([
      'https://127.0.0.1:8443/hook',
      'https://127.0.0.1:8443/elsewhere',
    ]);
  });

  it("gets the entry of a host's transaction at its commit, and delays no revocation before", async () => {
    const spare = await makeKey(app.paymount, app.account);
    const trx = await knex.transaction();
    const made = await app.paymount.using(trx).webhookEndpoints.create(app.acting, HOOK);
    await app.paymount.using(trx).webhookEndpoints.update(app.acting, made.id, {
      description: 'Uses "seq":"1", \\u0000 and é',
    });
    const from = performance.now();
    await app.paymount.keys.revoke(spare.id);
    expect(performance.now() - from).to.be.lessThan(1_000);
    expect(await entries(made.id)).to.deep.equal([]);
    await trx.commit();
    const by = ['host', 'host', 'host'];
    expect(await entries(made.id)).to.deep.equal([
      ['endpoint.create', ...by],
      ['endpoint.update', ...by],
    ]);
    expect(await knex('paymount.audit_pending')).to.deep.equal([]);
    const { directory } = partsOf(app.paymount).stores;
    expect((await directory.audit.verify(app.account)).faults).to.deep.equal([]);
  });

  it("locks the chains of accounts in one order, whatever the order in a host's transaction", async () => {
    const { id: second } = await app.paymount.accounts.create({
      name: 'Another shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const lock = (trx: Knex.Transaction, chain: string) =>
      trx('paymount.audit_heads').where({ chain }).forUpdate();
    const [trx, other] = [await knex.transaction(), await knex.transaction()];
    const { webhookEndpoints } = app.paymount.using(trx);
    const acting = { account: second, environment: 'test' } as const;
    const made = await webhookEndpoints.create(acting, HOOK);
    await webhookEndpoints.create(app.acting, HOOK);
    await webhookEndpoints.update(acting, made.id, { description: 'The first' });
    await knex('paymount.audit_heads')
      .insert({ chain: second, seq: 0, hash: '0'.repeat(64) })
      .onConflict()
      .ignore();
    await lock(other, app.account);
    const committed = trx.commit();
    // Sessions of other test files wait for locks on the same server too.
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await eventually(async () => (await knex.raw(waiting)).rowCount > 0);
    await lock(other, second);
    await other.commit();
    await committed;
    const { directory } = partsOf(app.paymount).stores;
    for (const account of [app.account, second]) {
      expect((await directory.audit.verify(account as AccountId)).faults).to.deep.equal([]);
    }
    expect(await entries(made.id)).to.have.length(2);
  });

  it("has no entry of a host's transaction that was rolled back", async () => {
    let id = '';
    const work = knex.transaction(async (trx) => {
      id = (await app.paymount.using(trx).webhookEndpoints.create(app.acting, HOOK)).id;
      throw new Error('the host changed its mind');
    });
    await work.catch(() => undefined);
    expect(id).to.match(/^we_/);
    expect(await entries(id)).to.deep.equal([]);
  });
});
