import { expect } from 'chai';
import { type OpenShop, openShop } from '../support/open-shop.ts';
import { type Clerk, codeIn, hireClerk, tokenIn } from './clerk.ts';

describe('the staff of a shop that mounts Paymount', () => {
  let shop: OpenShop;
  let admin: Clerk;
  let support: Clerk;

  before(async () => {
    shop = await openShop();
    admin = await hireClerk(shop, 'admin');
    support = await hireClerk(shop, 'support');
  });

  after(() => shop.close());

  const makeKey = async (): Promise<string> => {
    const key = await shop.paymount.keys.create({
      account: shop.merchant.account,
      livemode: true,
      type: 'secret',
      name: 'Server',
    });
    return key.id;
  };

  it('get no token for a wrong password or an unknown name', async () => {
    expect((await support.signIn('guess')).status).to.equal(401);
    const stranger = await fetch(`${shop.url}/staff/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'nobody', password: 'guess' }),
    });
    expect(stranger.status).to.equal(401);
    expect((await support.ask('/keys', undefined, 'guess')).status).to.equal(401);
  });

  it('see in support which keys there are, and cannot rotate one', async () => {
    const id = await makeKey();
    const seen = await support.ask(`/keys/${id}`);
    expect(seen.status).to.equal(200);
    const refused = await support.ask(`/keys/${id}/rotate`, { overlap_seconds: '3600' });
    expect(refused.status).to.equal(403);
    expect(refused.body['error']).to.include({
      code: 'permission_denied',
      required_permission: 'keys.write',
    });
    expect((await support.ask(`/keys/${id}`)).body).to.deep.equal(seen.body);
    expect((await admin.ask(`/audit?target=${id}&action=key.rotate`)).body['data']).to.be.empty;
  });

  it('rotate keys as admins, and the audit log tells which of them did', async () => {
    const id = await makeKey();
    const rotated = await admin.ask(`/keys/${id}/rotate`, { overlap_seconds: '3600' });
    expect(rotated.status).to.equal(200);
    expect(rotated.body).to.include({ replaces: id, created_by: admin.id, livemode: true });
    const { body } = await admin.ask(`/audit?target=${id}&action=key.rotate`);
    const [entry, ...others] = body['data'] as Record<string, unknown>[];
    expect(others).to.deep.equal([]);
    expect(entry).to.deep.include({
      account: shop.merchant.account,
      livemode: true,
      actor: { type: 'admin', id: admin.id },
      via: 'jwt',
      ip: '127.0.0.1',
      user_agent: 'Clerk/1.0',
    });
    const verdict = await admin.ask('/audit/verify', { account: shop.merchant.account });
    expect(verdict.body['faults']).to.deep.equal([]);
    expect(verdict.body['entries']).to.be.greaterThan(2);
  });

  it('read the audit log as admins, not in support', async () => {
    expect((await admin.ask('/audit')).status).to.equal(200);
    const refused = await support.ask('/audit');
    expect(refused.status).to.equal(403);
    expect(refused.body['error']).to.include({ required_permission: 'audit.read' });
  });

  it('sign in again for a second rotation, and revoke in haste with one token', async () => {
    const token = await tokenIn(await admin.signIn());
    const [first, second] = [await makeKey(), await makeKey()];
    expect((await admin.ask(`/keys/${first}/rotate`, {}, token)).status).to.equal(200);
    const again = await admin.ask(`/keys/${second}/rotate`, {}, token);
    expect([again.status, codeIn(again.body)]).to.deep.equal([401, 'admin_unauthenticated']);
    expect((await admin.ask(`/keys/${second}`)).body['replaced_by']).to.equal(null);
    expect((await admin.ask(`/keys/${second}/rotate`, {})).status).to.equal(200);
    for (const id of [first, second]) {
      const { body } = await admin.ask(`/keys/${id}/revoke`, {}, token);
      expect(body).to.include({ id, status: 'revoked' });
    }
  });

  it('cannot be impersonated with a key of the merchant', async () => {
    const key = await shop.key('live', 'secret');
    const refused = await admin.ask('/keys', undefined, key);
    expect([refused.status, codeIn(refused.body)]).to.deep.equal([401, 'admin_unauthenticated']);
    const token = await tokenIn(await admin.signIn());
    const turned = await fetch(`${shop.url}/payments/test/v1/charges`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(turned.status).to.equal(401);
  });
});
