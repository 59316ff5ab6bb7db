import { expect } from 'chai';
import { query } from '../support/database.ts';
import { type DashboardSetup, startDashboardSetup } from './dashboard-setup.ts';

describe('Signing secrets in the dashboard', () => {
  let setup: DashboardSetup;
  let owner: string;

  before(async () => {
    setup = await startDashboardSetup();
    owner = setup.logIn('owner');
  });
  after(() => setup.close());

  const newEndpoint = async (environment: 'live' | 'test' = 'test') => {
    const body = {
      account: setup.account,
      livemode: environment === 'live',
      url: 'https://receiver.example.com/hooks',
      enabled_events: ['*'],
    };
    const { status, json } = await setup.call(owner, '/endpoints', { environment, body });
    expect(status).to.equal(200);
    const { id, secret, created } = json;
    return { id: String(id), secret: String(secret), created };
  };
  const reveal = (id: string, more: Partial<Parameters<DashboardSetup['call']>[2]> = {}) =>
    setup.call(owner, `/endpoints/${id}/reveal_secrets`, { body: {}, ...more });
  const audited = async (id: string) => {
    const { json } = await setup.call(owner, `/audit?target=${id}&action=endpoint.reveal_secrets`);
    return (json['data'] as { actor: unknown; via: string }[]).map(({ actor, via }) => [
      actor,
      via,
    ]);
  };

  it('are shown on demand, and each time is in the audit log', async () => {
    const { id, secret, created } = await newEndpoint();
    const shown = await reveal(id);
    expect(shown.status).to.equal(200);
    expect(shown.headers['cache-control']).to.equal('no-store');
    const [first] = shown.json['secrets'] as { id: string }[];
    expect(shown.json).to.deep.equal({
      object: 'signing_secrets',
      endpoint: id,
      account: setup.account,
      livemode: false,
      secrets: [{ id: first?.id, secret, created, expires_at: null }],
    });
    const row = [{ type: 'user', id: 'user-1' }, 'session'];
    expect(await audited(id)).to.deep.equal([row]);
    await reveal(id);
    expect(await audited(id)).to.deep.equal([row, row]);
  });

  it('are all shown that sign during the overlap of a rotation, newest first', async () => {
    const { id, secret } = await newEndpoint();
    setup.clock.advance(1_000);
    const rotated = await setup.call(owner, `/endpoints/${id}/rotate_secret`, {
      body: { overlap_seconds: 60 },
    });
    const secrets = async () =>
      ((await reveal(id)).json['secrets'] as { secret: string; expires_at: string | null }[]).map(
        (shown) => [shown.secret, shown.expires_at !== null],
      );
    const fresh = rotated.json['secret'];
    expect(await secrets()).to.deep.equal([
      [fresh, false],
      [secret, true],
    ]);
    setup.clock.advance(60_000);
    expect(await secrets()).to.deep.equal([[fresh, false]]);
  });

  it('are never stored in an answer, with an Idempotency-Key too', async () => {
    const { id } = await newEndpoint();
    const headers = { 'idempotency-key': 'reveal-once' };
    const first = await reveal(id, { headers });
    const second = await reveal(id, { headers });
    expect([second.status, second.json]).to.deep.equal([200, first.json]);
    expect(await audited(id)).to.have.lengthOf(2);
    const kept = await query(
      setup.databaseUrl,
      `SELECT * FROM paymount.idempotency_keys WHERE key LIKE '%reveal-once'`,
    );
    expect(kept).to.deep.equal([]);
  });

  it('need a fresh login in live, and the permission to change the endpoint', async () => {
    const { id } = await newEndpoint('live');
    const environment = 'live';
    expect((await reveal(id, { environment })).status).to.equal(200);
    const authTime = new Date(setup.clock.now().getTime() - 601_000);
    const late = setup.logIn('owner', { authTime });
    const path = `/endpoints/${id}/reveal_secrets`;
    const refused = await setup.call(late, path, { environment, body: {} });
    expect([refused.status, refused.error['code']]).to.deep.equal([
      401,
      'insufficient_user_authentication',
    ]);
    for (const role of ['developer', 'viewer'] as const) {
      const { status } = await setup.call(setup.logIn(role), path, { environment, body: {} });
      expect(status, role).to.equal(403);
    }
    const elsewhere = await setup.call(owner, path, { body: {} });
    expect(elsewhere.status, 'a live endpoint below /test').to.equal(404);
  });

  it('are gone with the endpoint', async () => {
    const { id } = await newEndpoint();
    await setup.call(owner, `/endpoints/${id}`, { method: 'DELETE', body: {} });
    expect((await reveal(id)).status).to.equal(404);
  });

  it('name the cure where one cannot be opened', async () => {
    const { id } = await newEndpoint();
    await query(
      setup.databaseUrl,
      `UPDATE paymount.endpoint_secrets SET sealed = 'broken' WHERE endpoint_id = '${id}'`,
    );
    const { status, error } = await reveal(id);
    expect([status, error['message']]).to.deep.equal([
      500,
      'A signing secret of this endpoint cannot be opened. Rotate the secret.',
    ]);
  });
});
